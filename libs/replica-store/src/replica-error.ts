import { AppError, type AppErrorOptions } from '@lateen/errors';

/**
 * - `REPLICA_GONE`: there is no record where one has to be: an unmounted disk, or a folder that was deleted.
 * - `REPLICA_FOREIGN`: the folder belongs to another volume or another replica. Nothing of it was touched.
 * - `REPLICA_CORRUPT`: record and files contradict each other, or a file is no whole qcow2 image. Never repaired by itself.
 * - `REPLICA_LAGS`: it lacks writes that were answered, or may lack some. It comes back by a rebuild.
 * - `GENERATION_OVER`: the replica has promised itself to another engine.
 * - `SNAPSHOT_EXISTS`, `SNAPSHOT_NOT_FOUND`: by name, in this replica.
 * - `NOT_POSSIBLE_NOW`: a precondition, which the message names.
 * - `SIZE_REFUSED`: no size that this replica can have.
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
