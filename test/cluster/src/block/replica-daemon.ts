import { join } from 'node:path';
import type { UnixOrTcp } from '@lateen/block-engine';
import { childRunner } from '@lateen/child-process';
import { type BlockTools, freePorts } from '@lateen/cluster';
import { systemClock as clock, systemRandom as random } from '@lateen/kernel';
import { qemuImg, type StorageDaemon, startStorageDaemon } from '@lateen/qemu-storage';

/** A qemu-storage-daemon that serves one empty qcow2 file, as a replica does. */
export interface ReplicaDaemon extends AsyncDisposable {
  daemon: StorageDaemon;
  at: UnixOrTcp;
  exportName: string;
  imagePath: string;
}

export const headNode = 'head';
export const headExport = 'engine';

export interface ReplicaDaemonOptions {
  tools: BlockTools;
  /** Each daemon has its own directory, because sockets have the same names. */
  directory: string;
  sizeBytes: bigint;
  over: 'unix' | 'tcp';
}

export async function startReplicaDaemon(o: ReplicaDaemonOptions): Promise<ReplicaDaemon> {
  const imagePath = join(o.directory, 'layer-0.qcow2');
  const image = qemuImg(childRunner({ program: o.tools.qemuImg, clock, graceMs: 5_000 }));
  await image.create({ path: imagePath, sizeBytes: o.sizeBytes });
  const runner = childRunner({ program: o.tools.qemuStorageDaemon, clock, graceMs: 5_000 });
  const places = { monitorPath: join(o.directory, 'monitor'), pidPath: join(o.directory, 'pid') };
  const started = await startStorageDaemon({ runner, clock, random, ...places });
  try {
    const { daemon } = started;
    const [port = 0] = o.over === 'tcp' ? await freePorts(1) : [];
    const at: UnixOrTcp = o.over === 'tcp' ? { host: '127.0.0.1', port } : { path: join(o.directory, 'nbd') };
    await daemon.blockdevAdd({ nodeName: headNode, path: imagePath, io: 'direct', backing: null, detectZeroes: true });
    await daemon.nbdServerStart(at);
    const exportName = 'replica-0.1.0123456789abcdef';
    await exportHead(daemon, exportName);
    return { daemon, at, exportName, imagePath, [Symbol.asyncDispose]: () => started[Symbol.asyncDispose]() };
  } catch (error) {
    await started[Symbol.asyncDispose]();
    throw error;
  }
}

export function exportHead(daemon: StorageDaemon, name: string): Promise<void> {
  return daemon.blockExportAdd({
    type: 'nbd',
    id: headExport,
    nodeName: headNode,
    name,
    writable: true,
    allocationDepth: true,
  });
}
