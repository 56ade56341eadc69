import { join } from 'node:path';
import type { Clock, Logger, Random } from '@lateen/kernel';
import { type DirectRestore, directBudget, openDirectRestore } from '@lateen/kopia-restore';
import { retryingStore, throttledStore, transferRates } from '@lateen/object-store';
import { podS3Store } from '@lateen/object-store-s3';
import { blobNaming, type RepositoryTarget, repositoryPrefix } from '@lateen/repository';
import { environmentStores, placeText } from '@lateen/storage-location';
import { programBeside } from '@lateen/worker-pool';

/*
 * A bundle of its own, next to the mover's: the code that reads a repository without the engine, and the clients of object
 * stores, are loaded by a restore only, so that backups use less memory.
 */

export interface OpenDirectOptions {
  target: RepositoryTarget;
  environment: Readonly<Record<string, string | undefined>>;
  scratchDirectory: string;
  /** Directory on a volume for the cache, when there is one. */
  cacheDirectory: string | undefined;
  /** Memory limit of the pod, if it has one. */
  memoryBytes: number | undefined;
  /** CPUs that the pod may use; may be a fraction. */
  cpus: number;
  clock: Clock;
  random: Random;
  log: Logger;
}

const MB = 1_000_000;

/** The most connections for which concurrent requests are worthwhile, see `readLimits` of the pack reader. */
const limits = { connectionsMax: 64 };

const providers = {
  s3: { podS3Store },
  azure: () => import('@lateen/object-store-azure'),
  gcp: () => import('@lateen/object-store-gcs'),
};

/** Opens the repository of a restore. See `openDirectRestore` for errors. */
export async function openDirect(options: OpenDirectOptions, signal: AbortSignal): Promise<DirectRestore> {
  const { target, scratchDirectory, cacheDirectory, clock, random, log } = options;
  const { location, password } = target;
  const prefix = repositoryPrefix(location.prefix, target.volumeNamespace);
  const { keyOf } = blobNaming(location, prefix);
  const store = environmentStores(providers, { ...options, limits })(location);
  const { downloadBytesPerSecond: bytesPerSecondMax } = location;
  const down = { ...(bytesPerSecondMax === undefined ? {} : { down: bytesPerSecondMax }) };
  const throttled = throttledStore(store, transferRates(down, clock));
  const retrying = retryingStore(throttled, { clock, random });
  try {
    const direct = await openDirectRestore(
      {
        // The reader itself repeats a request from the point where a body was cut.
        store: { get: retrying.get, list: retrying.list, read: throttled.read },
        keyOf,
        listPrefix: prefix,
        password,
        name: placeText(location, prefix),
        scratchDirectory,
        cache: { directory: join(cacheDirectory ?? scratchDirectory, 'packs'), bytesMax: target.cacheLimitMB * MB },
        budget: directBudget({ ...options, bytesPerSecondMax }),
        workerProgram: programBeside('restore-worker', import.meta.url),
        cpuSeconds,
        clock,
        random,
        log,
      },
      signal,
    );
    const close = async () => {
      await direct.close();
      await store.close();
    };
    return { ...direct, close };
  } catch (error) {
    await store.close();
    throw error;
  }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
