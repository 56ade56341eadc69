import { withCondition } from '../../conditions/with-condition.ts';
import { isServing } from '../volume-facts.ts';
import type { VolumeStep } from '../volume-seen.ts';

/** The conditions of the volume besides its state, and its size on disk. */
export const conditions: VolumeStep = (seen, status, nowMs) => {
  const { engine, snapshots, settings, volume, offlineFor } = seen;
  const isRebuiltOffline = offlineFor === 'volume-rebuilding-controller';
  const warnAt = settings.number('snapshot-count-warning-threshold');
  const many = snapshots.length > warnAt;
  const message = `it has ${snapshots.length} snapshots, more than ${warnAt}`;
  const tooMany = withCondition(
    status.conditions,
    {
      type: 'TooManySnapshots',
      status: many ? 'True' : 'False',
      reason: many ? 'TooManySnapshots' : '',
      message: many ? message : '',
    },
    nowMs,
  );
  const images = { type: 'WaitForBackingImage', status: 'False', reason: '', message: '' } as const;
  const offline = {
    type: 'OfflineRebuilding',
    status: isRebuiltOffline ? 'True' : 'False',
    reason: isRebuiltOffline ? 'OfflineRebuilding' : '',
    message: isRebuiltOffline
      ? `no client requests it, and it is attached to ${volume.spec.nodeID || 'no node yet'} without a device until its replicas are rebuilt`
      : '',
  } as const;
  const layers = Object.values(engine?.status?.snapshots ?? {});
  const actualSize = layers.reduce((sum, { size }) => sum + (Number(size) || 0), 0);
  return {
    status: {
      conditions: withCondition(withCondition(tooMany, images, nowMs), offline, nowMs),
      ...(isServing(engine) && layers.length > 0 ? { actualSize } : {}),
    },
  };
};
