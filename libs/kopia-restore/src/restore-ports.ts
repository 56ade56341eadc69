import type { Clock } from '@lateen/kernel';
import type { PackReader } from '@lateen/pack-reader';
import type { WorkerPool } from '@lateen/worker-pool';
import type { AheadLimits, FolderSource } from './folders-ahead.ts';
import type { RestoreTask, RestoreTaskResult, TakenAsThere } from './restore-task.ts';
import type { BatchLimits, ObjectPorts } from './slice-batches.ts';
import type { UnsyncedFiles } from './unsynced-files.ts';
import type { WindowLimits } from './windows.ts';

/** What fills a volume needs. */
export interface RestorePorts {
  objects: ObjectPorts;
  folders(signal: AbortSignal): FolderSource;
  reader: Pick<PackReader, 'readAll'>;
  pool: Pick<WorkerPool<RestoreTask, RestoreTaskResult>, 'run'>;
  clock: Clock;
  /** Absent where the system may hold as much as it likes. */
  unsynced?: UnsyncedFiles | undefined;
}

/** What keeps memory bounded, however large a tree, a folder or a file is. */
export type RestoreLimits = WindowLimits & BatchLimits & AheadLimits;

export interface RestoreSettings {
  limits: RestoreLimits;
  there: TakenAsThere;
}
