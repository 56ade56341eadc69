import { blockCatalog, openTarget } from '@lateen/block-store';
import type { Clock, Logger, Random } from '@lateen/kernel';
import { backupTargetStore } from '@lateen/object-store-s3';
import type { BackupTargets } from '@lateen/volume-controllers';

/** Backup targets as managers read and clear them. */
export function backupTargets(ports: { clock: Clock; random: Random; log: Logger }): BackupTargets {
  return {
    open: async (address) => {
      const opened = openTarget(address, { ...ports, openBucket: backupTargetStore });
      return { ...blockCatalog(opened), [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
    },
  };
}
