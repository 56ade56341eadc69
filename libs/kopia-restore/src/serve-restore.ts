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
  serveTasks(async ({ keys, target }: RestoreWorkerData) =>
    restoreWorker({ decode: await contentDecoder(keys), target: await targetOf(ports, target, keys) }),
  );
}

async function targetOf(
  ports: WorkerPorts,
  target: RestoreWorkerData['target'],
  keys: ContentKeys,
): Promise<TargetWriter> {
  if (target.kind === 'device') return deviceTarget(deviceParts(target), await contentHash(keys));
  const { volumePath, writesSparse: sparse } = target;
  return filesTarget(volumePath, await volumeWriter({ ...ports, volumePath, sparse }));
}
