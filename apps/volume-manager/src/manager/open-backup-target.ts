import { blockCatalog, openTarget } from '@lateen/block-store';
import type { Clock, Logger, Random } from '@lateen/kernel';
import { type NfsMounts, targetDirectories } from '@lateen/object-store-fs/nfs';
import { backupTargetStore } from '@lateen/object-store-s3';
import type { BackupTargets } from '@lateen/volume-controllers';

/** Backup targets as managers read and clear them. */
export function backupTargets(ports: { clock: Clock; random: Random; log: Logger; mounts: NfsMounts }): BackupTargets {
  const stores = { openBucket: backupTargetStore, openDirectory: targetDirectories(ports.mounts) };
  return {
    open: async (address, o) => {
      const opened = await openTarget(address, { ...ports, ...stores }, o);
      return { ...blockCatalog(opened), [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
    },
  };
}
