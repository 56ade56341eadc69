import type { Clock } from '@lateen/kernel';
import type { PackReader } from '@lateen/pack-reader';
import type { WorkerPool } from '@lateen/worker-pool';
import type { RestoreTask, RestoreTaskResult, TakenAsThere } from './restore-task.ts';
import type { BatchLimits, ObjectPorts } from './slice-batches.ts';
import type { ReadFolder, WindowLimits } from './windows.ts';

/** What fills a volume needs. */
export interface RestorePorts {
  objects: ObjectPorts;
  readFolder(signal: AbortSignal): ReadFolder;
  reader: Pick<PackReader, 'readAll'>;
  pool: Pick<WorkerPool<RestoreTask, RestoreTaskResult>, 'run'>;
  clock: Clock;
}

export interface RestoreSettings {
  limits: WindowLimits & BatchLimits;
  there: TakenAsThere;
  /** Parts that the target has already, by their hash, are neither fetched nor written. */
  comparesParts: boolean;
}
