import { createReadStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { childRunner } from '@lateen/child-process';
import { command, makeScratch } from '@lateen/csi-rig';
import { systemClock, systemRandom } from '@lateen/kernel';
import { s3Store } from '@lateen/object-store-s3';
import { initialiseRepository, openKopiaSession, type RepositoryTarget, type SessionOptions } from '@lateen/repository';
import { type S3Server, startS3Server } from '@lateen/store-rig';
import { benchDevices } from '../block/used-device.ts';
import { localMover } from '../engine/local-mover.ts';
import type { Dataset } from './datasets.ts';
import { treeArchive } from './tree-archive.ts';
import { unpackTree, writeTree } from './write-tree.ts';

const MiB = 1024 ** 2;
const scratchBytes = 64 * 1024 * MiB;

/** A data set in a kopia repository on a real S3 server, backed up by our mover. */
export interface MadeRepository extends AsyncDisposable {
  server: S3Server;
  snapshotID: string;
  /** All files, in the format of `tar x`; for a device its bytes. */
  archive: string;
  files: number;
  bytes: number;
  /** @param endpoint `host:port` of the server */
  target(endpoint: string): RepositoryTarget;
  session(program?: SessionOptions['process']): SessionOptions;
}

export async function makeRepository(dataset: Dataset, signal: AbortSignal): Promise<MadeRepository> {
  const server = await startS3Server();
  try {
    return await filled(server, dataset, signal);
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

async function filled(server: S3Server, dataset: Dataset, signal: AbortSignal): Promise<MadeRepository> {
  await server.makeBucket('backups');
  const password = systemRandom.uuid();
  const kopia = childRunner({ program: server.kopia, clock: systemClock, graceMs: 5_000 });
  const target = (endpoint: string): RepositoryTarget => ({
    location: server.location({ endpoint }),
    volumeNamespace: 'bench',
    password,
    uid: 'bench',
    cacheLimitMB: 5_000,
  });
  const session = (process: SessionOptions['process'] = kopia): SessionOptions => ({
    process,
    workDirectory: join(server.directory, 'work'),
    secretsDirectory: join(server.directory, 'memory'),
    environment: globalThis.process.env,
  });
  const store = s3Store(server.location());
  await initialiseRepository(target(server.endpoint), { store, session: session(), signal });
  await store.close();
  const open = await openKopiaSession(target(server.endpoint), session());
  const archive = join(server.directory, 'archive');
  const mover = localMover(open, server.directory, signal);
  const upload = (path: string) => mover.upload(dataset.mode, path, dataset.name);
  try {
    const made =
      dataset.mode === 'Block' ? await fromDevice(dataset, archive, upload) : await fromTree(dataset, archive, upload);
    return { server, archive, target, session, ...made, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  } finally {
    await open.close();
  }
}

type Made = Pick<MadeRepository, 'snapshotID' | 'files' | 'bytes'>;
type Upload = (path: string) => Promise<string>;

async function fromTree(dataset: Dataset, archive: string, upload: Upload): Promise<Made> {
  await using scratch = await makeScratch('xfs', scratchBytes);
  const tree = join(scratch.stateParent, 'tree');
  await mkdir(tree);
  await writeTree(dataset, tree);
  let snapshotID = await upload(tree);
  const { generations = 0, of = () => [] } = dataset.changes ?? {};
  for (let generation = 1; generation <= generations; generation++) {
    await unpackTree(of(generation), tree);
    snapshotID = await upload(tree);
  }
  await command('tar', '-c', '--sparse', '-f', archive, '-C', tree, '.');
  return { snapshotID, ...sums(dataset) };
}

async function fromDevice(dataset: Dataset, archive: string, upload: Upload): Promise<Made> {
  await using devices = await benchDevices();
  const { bytes } = sums(dataset);
  const device = await devices.fresh(bytes);
  const [file] = [...dataset.files()];
  const handle = await open(archive, 'w');
  // Only the bytes, without the header and the padding of the archive.
  let [skip, left] = [512, bytes];
  for await (const piece of treeArchive(file === undefined ? [] : [file])) {
    const kept = piece.subarray(skip, skip + left);
    await handle.write(kept);
    [skip, left] = [0, left - kept.length];
  }
  await handle.close();
  const target = await open(device.path, 'r+');
  await pipeline(createReadStream(archive, { highWaterMark: MiB }), target.createWriteStream());
  return { snapshotID: await upload(device.path), files: 1, bytes };
}

function sums(dataset: Dataset): { files: number; bytes: number } {
  let [files, bytes] = [0, 0];
  for (const file of dataset.files()) {
    files++;
    bytes += file.bytes;
  }
  return { files, bytes };
}
