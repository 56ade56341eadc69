import { hostError } from '@lateen/block-engine';
import type { ReplicaIs } from './replica-entry.ts';

/** The name is part of file names and of a process id. @throws `INVALID_ARGUMENT` */
export function checkReplicaName(name: string): void {
  if (/^[a-z0-9]([a-z0-9.-]{0,180}[a-z0-9])?$/.test(name)) return;
  throw hostError('INVALID_ARGUMENT', `"${name}" is not the name of an instance`);
}

/** @throws `REPLICA_FOREIGN` */
export function sameReplica(
  present: ReplicaIs,
  wanted: Pick<ReplicaIs, 'name' | 'volumeUid'> & { directory?: string },
): void {
  const other =
    present.volumeUid !== wanted.volumeUid
      ? `of volume ${present.volumeUid}, not of ${wanted.volumeUid}`
      : wanted.directory !== undefined && present.directory !== wanted.directory
        ? `in ${present.directory}, not in ${wanted.directory}`
        : undefined;
  if (other !== undefined) throw hostError('REPLICA_FOREIGN', `replica ${wanted.name} of this node is ${other}`);
}
