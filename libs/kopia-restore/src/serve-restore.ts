import type { ChildRunner } from '@lateen/child-process';
import type { Logger } from '@lateen/kernel';
import { type ContentKeys, contentDecoder, contentHash } from '@lateen/kopia-format';
import { deviceParts, volumeWriter } from '@lateen/volume-writer';
import { serveTasks } from '@lateen/worker-pool';
import type { RestoreWorkerData } from './restore-task.ts';
import { restoreWorker } from './restore-worker.ts';
import { deviceTarget, filesTarget, type TargetWriter } from './target-writer.ts';

interface WorkerPorts {
  /** Sets times to the nanosecond. */
  perl: ChildRunner;
  log: Logger;
}

/** The whole program of a worker thread of a restore. */
export function serveRestore(ports: WorkerPorts): void {
  serveTasks(async ({ keys, target: told }: RestoreWorkerData) => {
    const decode = await contentDecoder(keys);
    const target = await targetOf(ports, told, keys);
    return { run: restoreWorker({ decode, target }), close: () => target.close() };
  });
}

async function targetOf(
  ports: WorkerPorts,
  target: RestoreWorkerData['target'],
  keys: ContentKeys,
): Promise<TargetWriter> {
  if (target.kind === 'device') {
    const hashOf = await contentHash(keys);
    return deviceTarget(deviceParts(target), hashOf);
  }
  const { volumePath, writesSparse: sparse } = target;
  return filesTarget(volumePath, await volumeWriter({ ...ports, volumePath, sparse }));
}
