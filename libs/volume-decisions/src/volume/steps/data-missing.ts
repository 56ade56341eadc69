import type { VolumeStatus } from '@lateen/storage-types';
import { withCondition } from '../../conditions/with-condition.ts';
import { missingData } from '../missing-data.ts';
import { byName, nameOf } from '../replica-facts.ts';
import type { VolumeEffect } from '../volume-effect.ts';
import type { StepResult, VolumeSeen, VolumeStep } from '../volume-seen.ts';

export const dataMissing = 'DataMissing';

/**
 * Reports a volume whose data is missing. A volume whose objects were restored without the data (`isCopy`) gets no replicas: they would be empty, and
 * the volume would look healthy. A volume that was made here continues to look for its replicas, which may come back with a disk.
 */
export const lookForData: VolumeStep = (seen, status, nowMs) => {
  const found = missingData(seen);
  const before = status.conditions?.find(({ type }) => type === dataMissing);
  if (found === undefined) {
    if (before === undefined || before.status === 'False') return undefined;
    return { status: stated(status, { is: 'False', reason: '', message: '' }, nowMs) };
  }
  const { reason } = found;
  const message = `${found.text}. ${found.next}`;
  const said = stated(status, { is: 'True', reason, message }, nowMs);
  const isNew = before?.status !== 'True' || before.message !== message;
  const result: StepResult = {
    status: said,
    events: isNew ? [{ type: 'Warning', reason: dataMissing, message }] : [],
    waitsFor: message,
  };
  if (!found.isCopy) return result;
  return {
    ...result,
    status: { ...said, state: 'detached', robustness: 'faulted' },
    effects: stopAll(seen),
    ends: true,
  };
};

/** Stops the engine and replicas that were restored in the running state. */
const stopAll = ({ engine, replicas }: VolumeSeen): VolumeEffect[] => [
  ...(engine?.spec.desireState === 'running' ? [{ do: 'stop-engine' } as const] : []),
  ...[...replicas]
    .sort(byName)
    .filter(({ spec }) => spec.desireState === 'running')
    .map((replica): VolumeEffect => ({ do: 'stop-replica', replica: nameOf(replica) })),
];

const stated = (
  status: VolumeStatus,
  { is, reason, message }: { is: 'True' | 'False'; reason: string; message: string },
  nowMs: number,
): Pick<VolumeStatus, 'conditions'> => ({
  conditions: withCondition(status.conditions, { type: dataMissing, status: is, reason, message }, nowMs),
});
