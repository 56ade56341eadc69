import type { ChildRunner } from '@lateen/child-process';
import type { Logger } from '@lateen/kernel';
import { contentDecoder, contentHash } from '@lateen/kopia-format';
import { deviceParts, punchRange, volumeWriter } from '@lateen/volume-writer';
import { serveTasks } from '@lateen/worker-pool';
import type { RestoreWorkerData } from './restore-task.ts';
import { restoreWorker } from './restore-worker.ts';
import { deviceTarget, filesTarget, type TargetWriter } from './target-writer.ts';

interface WorkerPorts {
  /** Sets times to the nanosecond. */
  perl: ChildRunner;
  /** fallocate of util-linux: has the storage zero parts of a device. */
  fallocate: ChildRunner;
  log: Logger;
}

/** The whole program of a worker thread of a restore. */
export function serveRestore(ports: WorkerPorts): void {
  serveTasks(async ({ keys, target: told }: RestoreWorkerData) => {
    const [decode, hashOf] = [await contentDecoder(keys), await contentHash(keys)];
    const target = await targetOf(ports, told);
    return { run: restoreWorker({ decode, hashOf, target }), close: () => target.close() };
  });
}

async function targetOf(ports: WorkerPorts, target: RestoreWorkerData['target']): Promise<TargetWriter> {
  if (target.kind === 'device') {
    const { devicePath } = target;
    const punch = (offset: number, length: number) => punchRange(ports.fallocate, devicePath, { offset, length });
    return deviceTarget(deviceParts({ ...target, punch }));
  }
  const { volumePath, writesSparse: sparse } = target;
  return filesTarget(target, await volumeWriter({ ...ports, volumePath, sparse }));
}
