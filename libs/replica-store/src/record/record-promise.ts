import { replicaError } from '../replica-error.ts';
import type { ReplicaRecord } from './replica-record.ts';

export interface Promised {
  readonly generation: number;
  readonly engine: string;
}

/**
 * The record of a replica that serves this generation and no older one. A repeated promise changes nothing.
 * @throws AppError `GENERATION_OVER` for an older one, and for the same one of another engine
 */
export function promiseRecord(record: ReplicaRecord, wanted: Promised): ReplicaRecord {
  if (!Number.isSafeInteger(wanted.generation) || wanted.generation < 1) {
    throw replicaError('NOT_POSSIBLE_NOW', `${wanted.generation} is not a generation`);
  }
  const isOver =
    record.generation > wanted.generation ||
    (record.generation === wanted.generation && record.engine !== wanted.engine);
  if (isOver) {
    throw replicaError(
      'GENERATION_OVER',
      `${record.replica} has promised generation ${record.generation} of ${record.engine}, so it refuses ${wanted.generation} of ${wanted.engine}`,
      { nextStep: 'Nothing to do: the volume is served by the newer engine, and this one ends.' },
    );
  }
  const { generation, engine } = wanted;
  return { ...record, generation, engine };
}
