import type { ChildRunner } from '@lateen/child-process';
import type { Logger } from '@lateen/kernel';
import { contentDecoder } from '@lateen/kopia-format';
import { volumeWriter } from '@lateen/volume-writer';
import { serveTasks } from '@lateen/worker-pool';
import type { RestoreWorkerData } from './restore-task.ts';
import { restoreWorker } from './restore-worker.ts';

/** The whole program of a worker thread of a restore. `perl` sets times to the nanosecond. */
export function serveRestore(ports: { perl: ChildRunner; log: Logger }): void {
  serveTasks(async ({ keys, volumePath, writesSparse }: RestoreWorkerData) => {
    const decode = await contentDecoder(keys);
    return restoreWorker({ decode, writer: await volumeWriter({ ...ports, volumePath, sparse: writesSparse }) });
  });
}
