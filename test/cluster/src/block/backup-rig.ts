import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReplicaLink, StartBackup, StartRestore, TransferProgress } from '@lateen/block-engine';
import { type BlockBackupStore, blockBackupStore, openTarget } from '@lateen/block-store';
import { nativeCodec } from '@lateen/block-store/native-codec';
import { systemClock as clock, systemRandom as random, silentLogger } from '@lateen/kernel';
import { connectReplica } from '@lateen/nbd';
import { backupTargetStore } from '@lateen/object-store-s3';
import { type S3Server, s3Keys } from '../repository/s3-server.ts';
import { never, o, processesOf, type RigNode } from './instance-manager-rig.ts';
import { type ManagedVolume, managedVolume, type VolumeOf, volume } from './instance-manager-volume.ts';

const MiB = 1024 * 1024;
export const blockBytes = 2 * MiB;
const bucket = 'backups';

const openDirectory = async (): Promise<never> => {
  throw new Error('the target of this rig is a bucket');
};

/** A volume on two instance managers, written without a front end, and a backup target for it on a real S3 server. */
export interface BackupRig extends AsyncDisposable {
  readonly managed: ManagedVolume;
  readonly target: StartBackup['target'];
  /** The content of the target, as a manager reads it. */
  readonly store: BlockBackupStore;
  /** Directory of the backed-up volume on the disk of the S3 server. */
  filesOf(part: 'blocks' | 'backups' | 'locks' | ''): Promise<string[]>;
  /** The volume of an engine, as its front end writes it. */
  link(endpoint: string | undefined): Promise<ReplicaLink>;
  snapshot(name: string): Promise<void>;
  backup(node: RigNode, change: Partial<StartBackup> & Pick<StartBackup, 'backup' | 'snapshot' | 'replica'>): Stream;
  restore(change: Partial<StartRestore> & Pick<StartRestore, 'restore' | 'backup'>): Stream;
}

type Stream = AsyncIterable<TransferProgress>;

/** The target of restores. */
export const restored: VolumeOf = { ...volume, name: 'pvc-2', uid: 'volume-uid-2', engine: 'pvc-2-e-0' };

/** @param path of the target in the bucket; each test has its own */
export async function backupRig(server: S3Server, path: string): Promise<BackupRig> {
  await using undo = new AsyncDisposableStack();
  await server.makeBucket(bucket);
  const managed = undo.use(await managedVolume(['r-a', 'r-b']));
  await Promise.all(managed.nodes.map((node) => node.start()));
  const target = {
    url: `s3://${bucket}@us-east-1/${path}/`,
    secret: {
      AWS_ACCESS_KEY_ID: s3Keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3Keys.secretAccessKey,
      AWS_ENDPOINTS: `http://${server.endpoint}`,
    },
  };
  const ports = { openBucket: backupTargetStore, openDirectory, clock, random, log: silentLogger };
  const opened = undo.use(await openTarget(target, ports, o));
  const stack = undo.move();
  const [n1] = managed.nodes;
  return {
    ...{ managed, target, store: blockBackupStore({ ...opened, codec: nativeCodec }) },
    filesOf: async (part) => {
      const root = join(server.directory, 'buckets', bucket, path);
      const all = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
      return all
        .filter((file) => file.isFile())
        .map((file) => join(file.parentPath, file.name))
        .filter((file) => file.includes(`/${volume.name}/${part}`));
    },
    link: async (socket = '') =>
      stack.use(await connectReplica({ at: { path: socket }, exportName: 'volume', clock, signal: never })),
    snapshot: async (snapshot) => {
      const created = new Date(clock.now()).toISOString();
      const request = { engine: volume.engine, generation: 1, snapshot, userCreated: true, created, labels: {} };
      await n1.host.engineSnapshot({ ...request, freeze: false }, o);
    },
    backup: (node, change) =>
      node.host.startBackup(
        {
          ...{ volume: volume.name, mode: 'incremental', target, blockBytes: BigInt(blockBytes), compression: 'lz4' },
          ...{ labels: { made: 'by-test' }, volumeFacts: {}, workers: 2, detached: true, ...change },
        },
        o,
      ),
    restore: (change) =>
      n1.host.startRestore(
        {
          ...{ engine: restored.engine, generation: 1, volume: restored.name, backupVolume: volume.name, target },
          ...{ isNew: false, workers: 2, detached: true, ...change },
        },
        o,
      ),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** All progress messages, and the end as the last one. */
export async function endOf(stream: Stream): Promise<TransferProgress> {
  let last: TransferProgress | undefined;
  for await (const progress of stream) last = progress;
  if (last === undefined) throw new Error('the transfer has told nothing');
  return last;
}

/** Resolves when that much has been moved; the transfer continues. */
export async function movedSome(stream: Stream): Promise<void> {
  for await (const { doneBytes, ended, error } of stream) {
    if (ended) throw new Error(`it has ended already: ${error?.message ?? 'complete'}`);
    if (doneBytes > 0n) return;
  }
}

export const transferOf = async ({ runtime }: RigNode): Promise<number | undefined> =>
  (await processesOf(runtime)).find(({ command }) => command.includes(' transfer --config'))?.pid;

/** Pseudo-random bytes, the same for the same salt. */
export function noise(lengthBytes: number, salt: number): Buffer {
  const bytes = Buffer.alloc(lengthBytes);
  let state = (salt * 2_654_435_761) >>> 0 || 1;
  for (let at = 0; at + 4 <= lengthBytes; at += 4) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes.writeInt32LE(state | 0, at);
  }
  return bytes;
}

export async function writeAt(link: ReplicaLink, at: number, bytes: Buffer): Promise<void> {
  for (let offset = 0; offset < bytes.length; offset += MiB)
    await link.write(BigInt(at + offset), [bytes.subarray(offset, offset + MiB)]);
}

export async function readAll(link: ReplicaLink, lengthBytes: number): Promise<Buffer> {
  const bytes = Buffer.alloc(lengthBytes);
  for (let at = 0; at < lengthBytes; at += MiB)
    Buffer.concat(await link.read(BigInt(at), Math.min(MiB, lengthBytes - at))).copy(bytes, at);
  return bytes;
}

/** Files below a folder that contain the text. */
export async function filesWith(folder: string, text: string): Promise<string[]> {
  const all = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const file of all.filter((one) => one.isFile())) {
    const path = join(file.parentPath, file.name);
    if ((await readFile(path)).includes(text)) found.push(path);
  }
  return found;
}
