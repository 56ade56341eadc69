import { blockCatalog, parseTargetUrl } from '@lateen/block-store';
import { AppError } from '@lateen/errors';
import type { Clock, Logger, Random } from '@lateen/kernel';
import { retryingStore } from '@lateen/object-store';
import { backupTargetStore } from '@lateen/object-store-s3';
import type { BackupTargets } from '@lateen/volume-controllers';

/**
 * Backup targets as managers read and clear them. What is on a file server cannot be reached: a manager mounts nothing.
 */
export function backupTargets(ports: { clock: Clock; random: Random; log: Logger }): BackupTargets {
  const { clock, random, log } = ports;
  return {
    open: async ({ url, secret }) => {
      const target = parseTargetUrl(url);
      if (target.kind !== 's3')
        throw new AppError('BACKUP_TARGET_UNSUPPORTED', `backup targets of the kind ${target.kind} are not supported`, {
          nextStep: 'Give a bucket, like s3://bucket@region/path/.',
        });
      const store = retryingStore(backupTargetStore(target, secret, { clock, random }), { clock, random });
      const catalog = blockCatalog({ store, path: target.path, clock, random, log });
      return { ...catalog, [Symbol.asyncDispose]: async () => await store.close() };
    },
  };
}
