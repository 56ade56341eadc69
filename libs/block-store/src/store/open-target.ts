import type { Clock, Logger, Random } from '@lateen/kernel';
import { type ObjectStore, retryingStore } from '@lateen/object-store';
import type { BlockCatalogOptions } from '../block-backup-store.ts';
import { parseTargetUrl, type TargetUrl } from '../names/target-url.ts';

type Secret = Readonly<Record<string, string>>;

export interface OpenTargetPorts {
  /** A bucket with the credentials of the target's Secret. @throws for credentials that cannot be used */
  openBucket(
    place: { bucket: string; region: string | undefined },
    secret: Secret,
    ports: { clock: Clock; random: Random },
  ): ObjectStore;
  /** A directory; one on a server is mounted first, and closing the store unmounts it. @throws when it cannot be mounted */
  openDirectory(
    place: Exclude<TargetUrl, { kind: 's3' }>,
    ports: { random: Random },
    o: { signal: AbortSignal },
  ): Promise<ObjectStore>;
  clock: Clock;
  random: Random;
  log: Logger;
}

/**
 * A backup target by its URL and the content of its Secret, for `blockCatalog` and `blockBackupStore`. A bucket is not contacted before its first
 * call; a file server is mounted. Disposing closes connections and unmounts.
 * @throws BACKUP_TARGET_URL, BACKUP_TARGET_UNSUPPORTED, what `openBucket` and `openDirectory` throw; the reason of an abort
 */
export async function openTarget(
  { url, secret }: { readonly url: string; readonly secret: Secret },
  { openBucket, openDirectory, clock, random, log }: OpenTargetPorts,
  o: { readonly signal: AbortSignal },
): Promise<BlockCatalogOptions & AsyncDisposable> {
  const target = parseTargetUrl(url);
  const [bare, path] =
    target.kind === 's3'
      ? [openBucket(target, secret, { clock, random }), target.path]
      : [await openDirectory(target, { random }, o), ''];
  const store = retryingStore(bare, { clock, random });
  return { store, path, clock, random, log, [Symbol.asyncDispose]: async () => await store.close() };
}
