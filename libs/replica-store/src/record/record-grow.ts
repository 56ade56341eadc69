import { replicaError } from '../replica-error.ts';
import { headOf, replaceLayer } from './layer-tree.ts';
import { checkSize } from './record-create.ts';
import { type Pending, pendingOf, type ReplicaRecord, withoutPending } from './replica-record.ts';

/** This record is on disk before the head is resized. @throws AppError `SIZE_REFUSED`, also for less than it has */
export function beginGrow(record: ReplicaRecord, sizeBytes: bigint): ReplicaRecord {
  checkSize(sizeBytes);
  if (sizeBytes < BigInt(record.sizeBytes)) {
    throw replicaError(
      'SIZE_REFUSED',
      `${record.replica} has ${record.sizeBytes} bytes and cannot be cut to ${sizeBytes}`,
      {
        nextStep: 'Make a smaller volume and copy the data.',
      },
    );
  }
  const begun: Pending = { kind: 'grow', sizeBytes: String(sizeBytes) };
  return { ...record, pending: [...withoutPending(record, 'grow'), begun] };
}

export function finishGrow(record: ReplicaRecord): ReplicaRecord {
  const begun = pendingOf(record, 'grow');
  if (begun === undefined) return record;
  const { sizeBytes } = begun;
  const layers = replaceLayer(record, { ...headOf(record), sizeBytes });
  return { ...record, sizeBytes, layers, pending: withoutPending(record, 'grow') };
}

/** Undoes the growth: the head still has its old size. */
export const takeBackGrow = (record: ReplicaRecord): ReplicaRecord => ({
  ...record,
  pending: withoutPending(record, 'grow'),
});
