import { AppError } from '@lateen/errors';
import type { Clock, Logger, Random } from '@lateen/kernel';
import { type ObjectStore, retryingStore } from '@lateen/object-store';
import type { BlockCatalogOptions } from '../block-backup-store.ts';
import { parseTargetUrl } from '../names/target-url.ts';

type Secret = Readonly<Record<string, string>>;

export interface OpenTargetPorts {
  /** A bucket with the credentials of the target's Secret. @throws for credentials that cannot be used */
  openBucket(
    place: { bucket: string; region: string | undefined },
    secret: Secret,
    ports: { clock: Clock; random: Random },
  ): ObjectStore;
  clock: Clock;
  random: Random;
  log: Logger;
}

/**
 * A backup target by its URL and the content of its Secret, as `blockCatalog` and `blockBackupStore` take it. Nothing is contacted. What is on a
 * file server cannot be reached: nothing is mounted. Dispose to close its connections.
 * @throws BACKUP_TARGET_URL, BACKUP_TARGET_UNSUPPORTED, what `openBucket` throws
 */
export function openTarget(
  { url, secret }: { readonly url: string; readonly secret: Secret },
  { openBucket, clock, random, log }: OpenTargetPorts,
): BlockCatalogOptions & AsyncDisposable {
  const target = parseTargetUrl(url);
  if (target.kind !== 's3')
    throw new AppError('BACKUP_TARGET_UNSUPPORTED', `backup targets of the kind ${target.kind} are not supported`, {
      nextStep: 'Give a bucket, like s3://bucket@region/path/.',
    });
  const store = retryingStore(openBucket(target, secret, { clock, random }), { clock, random });
  return { store, path: target.path, clock, random, log, [Symbol.asyncDispose]: async () => await store.close() };
}
