import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReplicaLink, StatusLink } from '@lateen/block-engine';
import { childRunner } from '@lateen/child-process';
import { type BlockTools, blockTools } from '@lateen/cluster';
import { systemClock as clock, systemRandom as random } from '@lateen/kernel';
import { connectStatus } from '@lateen/nbd';
import { type QemuImg, qemuImg, type StartedStorageDaemon, startStorageDaemon } from '@lateen/qemu-storage';

/** A directory with qcow2 files, and a real storage daemon that serves them on a unix socket. */
export interface DaemonRig extends AsyncDisposable {
  tools: BlockTools;
  image: QemuImg;
  /** The running daemon. */
  started(): StartedStorageDaemon;
  file(layer: string): string;
  create(layer: string, backing?: string): Promise<void>;
  open(layer: string, backing?: string | null, readOnly?: boolean): Promise<void>;
  /**
   * Exports a layer under its own name, with depths, for reading and writing. A layer that later replaces it is exported under the same
   * name.
   */
  serve(layer: string): Promise<void>;
  /** Exports it as `<layer>-read`, whatever layer writes to it. */
  serveReading(layer: string): Promise<void>;
  link(exportName: string): Promise<StatusLink>;
  /** Kills the daemon at any point of its work. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

export const sizeBytes = 32 * 1024 * 1024;

export async function daemonRig(): Promise<DaemonRig> {
  const tools = await blockTools();
  const dir = await mkdtemp(join(tmpdir(), 'lateen-daemon-'));
  const image = qemuImg(childRunner({ program: tools.qemuImg, clock, graceMs: 5_000 }));
  const runner = childRunner({ program: tools.qemuStorageDaemon, clock, graceMs: 10_000 });
  const nbd = { path: join(dir, 'nbd') };
  const pidPath = join(dir, 'pid');
  const file = (layer: string) => join(dir, `${layer}.qcow2`);
  let present: StartedStorageDaemon | undefined;
  const started = () => {
    if (present === undefined) throw new Error('no daemon runs');
    return present;
  };
  const start = async () => {
    present = await startStorageDaemon({ runner, clock, random, monitorPath: join(dir, 'monitor'), pidPath });
    await present.daemon.nbdServerStart(nbd);
  };
  const serve = (nodeName: string, name: string, writable: boolean) =>
    started().daemon.blockExportAdd({
      ...{ type: 'nbd', id: `of-${name}`, nodeName, name, writable, allocationDepth: true },
    });
  await start();
  return {
    tools,
    image,
    started,
    file,
    start,
    create: (layer, backing) =>
      image.create({
        path: file(layer),
        sizeBytes: BigInt(sizeBytes),
        ...(backing === undefined ? {} : { backingFile: `${backing}.qcow2` }),
      }),
    open: (layer, backing = null, readOnly = false) =>
      started().daemon.blockdevAdd({
        ...{ nodeName: layer, path: file(layer), io: 'direct', backing, readOnly, detectZeroes: !readOnly },
      }),
    serve: (layer) => serve(layer, layer, true),
    serveReading: (layer) => serve(layer, `${layer}-read`, false),
    link: (exportName) =>
      connectStatus({ at: nbd, exportName, clock, contexts: ['qemu:allocation-depth', 'base:allocation'] }),
    kill: async () => {
      process.kill(Number(await readFile(pidPath, 'utf8')), 'SIGKILL');
      await started().ended;
    },
    [Symbol.asyncDispose]: async () => {
      await present?.[Symbol.asyncDispose]();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** A copy of the volume in memory that gets the same writes. */
export class Model {
  readonly bytes = Buffer.alloc(sizeBytes);

  fill(at: number, lengthBytes: number, value: number): Buffer {
    return this.bytes.subarray(at, at + lengthBytes).fill(value);
  }
}

const pieceBytes = 4 * 1024 * 1024;

export async function readAll(link: ReplicaLink): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < Number(link.sizeBytes); at += pieceBytes)
    pieces.push(...(await link.read(BigInt(at), Math.min(pieceBytes, Number(link.sizeBytes) - at))));
  return Buffer.concat(pieces);
}

/** The first difference between two volumes, for messages; undefined when they are equal. */
export function firstDifference(a: Buffer, b: Buffer): string | undefined {
  if (a.equals(b)) return undefined;
  let at = 0;
  while (a[at] === b[at]) at++;
  return `at ${at}: ${a[at]} and ${b[at]}`;
}

/** Fills an area of a volume and of its model. */
export async function fill(link: ReplicaLink, model: Model, at: number, lengthBytes: number, value: number) {
  await link.write(BigInt(at), [model.fill(at, lengthBytes, value)]);
}
