import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { childRunner } from '@lateen/child-process';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { type DirectRestore, directBudget, openDirectRestore } from '@lateen/kopia-restore';
import { type S3StoreConfig, s3Store } from '@lateen/object-store-s3';
import { openKopiaSession } from '@lateen/repository';
import { kopiaUploader, systemBlock, systemPrograms } from '@lateen/uploader';
import type { MoverOrder } from './mover.ts';

/** One restore by the uploader of the mover, without an API server. Prints its report. */
const order = JSON.parse(process.env.LATEEN_BENCH ?? '') as MoverOrder;
const { target, snapshotID, volumeMode, volumePath, scratch, config } = order;
const child = { clock: systemClock, graceMs: 5_000, scratchDirectory: scratch };
const session = await openKopiaSession(target, {
  process: childRunner({ ...child, program: order.kopia }),
  workDirectory: join(scratch, 'work'),
  secretsDirectory: join(scratch, 'memory'),
  environment: process.env,
});
const sync = childRunner({ ...child, program: 'sync' });
const uploader = kopiaUploader({
  session,
  clock: systemClock,
  random: systemRandom,
  programs: systemPrograms({ ...child, path: process.env.PATH }),
  block: systemBlock(child),
  log: silentLogger,
  // The default of a mover on a node with two CPUs.
  parallelFiles: 2,
  discardMs: 20_000,
  flush: async () => {
    await sync.run({ args: ['--file-system', volumePath], env: { PATH: process.env.PATH ?? '' } });
  },
  openDirect,
});
const { signal } = new AbortController();
const result = await uploader.download({ volumePath, volumeMode, snapshotID, config, onProgress: () => {}, signal });
await session.close();
console.log(JSON.stringify(result));

async function openDirect(signal: AbortSignal): Promise<DirectRestore> {
  const store = s3Store(target.location as S3StoreConfig);
  const prefix = `kopia/${target.volumeNamespace}/`;
  const direct = await openDirectRestore(
    {
      store,
      keyOf: (blobId) => prefix + blobId,
      listPrefix: prefix,
      password: target.password,
      name: prefix,
      scratchDirectory: scratch,
      budget: directBudget({ memoryBytes: order.memoryBytes, cpus: 2, bytesPerSecondMax: undefined }),
      workerProgram: pathToFileURL(order.worker),
      cpuSeconds: () => {
        const { user, system } = process.cpuUsage();
        return (user + system) / 1e6;
      },
      clock: systemClock,
      random: systemRandom,
      log: silentLogger,
    },
    signal,
  );
  const close = async () => {
    await direct.close();
    await store.close();
  };
  return { ...direct, close };
}
