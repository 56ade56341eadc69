import { AppError, type AppErrorOptions } from '@lateen/errors';

/**
 * - `REPLICA_GONE`: the record is missing where one must exist: an unmounted disk, or a deleted folder.
 * - `REPLICA_FOREIGN`: the folder belongs to another volume or another replica. Nothing in it was changed.
 * - `REPLICA_CORRUPT`: record and files contradict each other, or a file is not a complete qcow2 image. Never repaired automatically.
 * - `REPLICA_LAGS`: it lacks acknowledged writes, or may lack some. A rebuild repairs it.
 * - `GENERATION_OVER`: the replica has promised another generation or engine.
 * - `SNAPSHOT_EXISTS`, `SNAPSHOT_NOT_FOUND`: by name, in this replica.
 * - `NOT_POSSIBLE_NOW`: a precondition, which the message names.
 * - `SIZE_REFUSED`: this replica cannot have that size.
 */
export type ReplicaErrorCode =
  | 'REPLICA_GONE'
  | 'REPLICA_FOREIGN'
  | 'REPLICA_CORRUPT'
  | 'REPLICA_LAGS'
  | 'GENERATION_OVER'
  | 'SNAPSHOT_EXISTS'
  | 'SNAPSHOT_NOT_FOUND'
  | 'NOT_POSSIBLE_NOW'
  | 'SIZE_REFUSED';

export function replicaError(code: ReplicaErrorCode, message: string, options: AppErrorOptions = {}): AppError {
  return new AppError(code, message, options);
}
