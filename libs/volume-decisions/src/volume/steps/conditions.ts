import { withCondition } from '../../conditions/with-condition.ts';
import { isServing } from '../volume-facts.ts';
import type { VolumeStep } from '../volume-seen.ts';

/** What holds for the volume besides its state, and how much it takes. */
export const conditions: VolumeStep = ({ engine, snapshots, settings }, status, nowMs) => {
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
  const layers = Object.values(engine?.status?.snapshots ?? {});
  const actualSize = layers.reduce((sum, { size }) => sum + (Number(size) || 0), 0);
  return {
    status: {
      conditions: withCondition(tooMany, images, nowMs),
      ...(isServing(engine) && layers.length > 0 ? { actualSize } : {}),
    },
  };
};
