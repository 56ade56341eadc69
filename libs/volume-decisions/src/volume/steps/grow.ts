import { int64Of } from '@lateen/storage-types';
import { diskOf } from '../../scheduler/cluster-facts.ts';
import { hasRoomToGrow } from '../../scheduler/disk-room.ts';
import { schedulerSettingsOf } from '../../settings/scheduler-settings.ts';
import { byName, isFailed, nameOf, replicaText } from '../replica-facts.ts';
import type { VolumeEffect } from '../volume-effect.ts';
import { isFresh, isServing } from '../volume-facts.ts';
import type { StepResult, VolumeSeen, VolumeStep } from '../volume-seen.ts';
import { schedulingRetryMs } from './schedule.ts';

/**
 * A volume that has to grow: its engine grows while it serves, once every replica has space. A volume without any writes grows
 * at once. A detached volume with `expansionRequired` is attached by a ticket.
 */
export const grow: VolumeStep = (seen) => {
  const { volume, engine } = seen;
  const wanted = int64Of(volume.spec.size) ?? 0n;
  const asked = int64Of(engine?.spec.volumeSize) ?? 0n;
  const served = int64Of(engine?.status?.currentSize) ?? asked;
  const fresh = isFresh(seen);
  const status = { expansionRequired: !fresh && wanted > served };
  if (wanted <= asked) {
    if (!isServing(engine) || served >= asked) return { status };
    const failed = engine.status?.lastExpansionError ?? '';
    return { status, waitsFor: failed === '' ? 'the engine is growing' : `the engine could not grow: ${failed}` };
  }
  if (!fresh && !isServing(engine)) return { status, waitsFor: 'it grows when it is attached' };
  return { status, ...(whyNoRoom(seen, asked, wanted) ?? largerObjects(seen, wanted)) };
};

function whyNoRoom(seen: VolumeSeen, fromBytes: bigint, toBytes: bigint): StepResult | undefined {
  const percentages = schedulerSettingsOf(seen.settings);
  const tight = [...seen.replicas].sort(byName).find((replica) => {
    const disk = diskOf(seen.cluster, replica.spec.nodeID ?? '', replica.spec.diskID ?? '');
    return disk !== undefined && !isFailed(replica) && !hasRoomToGrow(disk, fromBytes, toBytes, percentages);
  });
  if (tight === undefined) return undefined;
  const reason = `it cannot grow: the disk of replica ${replicaText(tight)} has no room for ${toBytes - fromBytes} bytes more`;
  return { waitsFor: reason, again: { afterMs: schedulingRetryMs, reason } };
}

function largerObjects({ replicas }: VolumeSeen, sizeBytes: bigint): StepResult {
  const each = [...replicas].sort(byName).map(
    (replica): VolumeEffect => ({
      do: 'grow-replica',
      replica: nameOf(replica),
      sizeBytes,
    }),
  );
  return { effects: [...each, { do: 'grow-engine', sizeBytes }], waitsFor: 'its objects are made larger', ends: true };
}
