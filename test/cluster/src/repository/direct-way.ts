import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Logger, systemClock, systemRandom } from '@lateen/kernel';
import { type DirectRestore, type DirectRestoreOptions, directBudget, openDirectRestore } from '@lateen/kopia-restore';
import { retryingStore } from '@lateen/object-store';
import { s3Store } from '@lateen/object-store-s3';
import type { RepositoryTarget } from '@lateen/repository';
import { threadProgram } from '@lateen/testing';
import { afterAll } from 'vitest';

/** The program of the mover's worker threads. */
const workerSource = new URL('../../../../apps/data-mover/src/restore-worker.ts', import.meta.url);

/** Built once per process: threads of one restore load it while another opens. */
let program: Promise<URL> | undefined;

function made(): Promise<URL> {
  program ??= mkdtemp(join(tmpdir(), 'lateen-restore-worker-')).then((directory) =>
    threadProgram(workerSource, directory),
  );
  return program;
}

// Processes of tests end without an `exit` event.
afterAll(async () => {
  if (program !== undefined) await rm(dirname(fileURLToPath(await program)), { recursive: true });
});

/** Restores from this repository without the engine, as the mover does. */
export function directWay(
  { location, volumeNamespace, password }: RepositoryTarget,
  { log, scratchDirectory }: { log: Logger; scratchDirectory: string },
  more: Partial<DirectRestoreOptions> = {},
): (signal: AbortSignal) => Promise<DirectRestore> {
  if (location.provider !== 's3' || 'identity' in location.credentials) throw new Error('no such store in this test');
  const { credentials, ...place } = location;
  const prefix = `${location.prefix === '' ? '' : `${location.prefix}/`}kopia/${volumeNamespace}/`;
  return async (signal) => {
    const workerProgram = await made();
    const store = s3Store({ ...place, credentials });
    const retrying = retryingStore(store, { clock: systemClock, random: systemRandom });
    const direct = await openDirectRestore(
      {
        store: { get: retrying.get, list: retrying.list, read: store.read },
        keyOf: (blobId) => prefix + blobId,
        listPrefix: prefix,
        password,
        name: `bucket "${location.bucket}", prefix "${prefix}"`,
        scratchDirectory,
        cache: { directory: join(scratchDirectory, 'packs'), bytesMax: 1e9 },
        budget: directBudget({ memoryBytes: undefined, cpus: 2, bytesPerSecondMax: undefined }),
        workerProgram,
        cpuSeconds: () => process.cpuUsage().user / 1e6,
        clock: systemClock,
        random: systemRandom,
        log,
        ...more,
      },
      signal,
    ).catch(async (error: unknown) => {
      await store.close();
      throw error;
    });
    const close = async () => {
      await direct.close();
      await store.close();
    };
    return { ...direct, close };
  };
}
