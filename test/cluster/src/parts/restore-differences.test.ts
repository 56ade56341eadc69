import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { annotations, type DataDownload } from '@lateen/api-types';
import type { DownloadResult } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import { systemClock } from '@lateen/kernel';
import { dataUploadSource } from '@lateen/repository';
import { type DistantStore, startDistantStore } from '@lateen/store-rig';
import { aDataDownload, startMover } from '@lateen/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { moverCommand, moverEnvironment, rigObjects } from '../repository/mover-process.ts';
import { repositoryRig, testPassword } from '../repository/repository-rig.ts';
import { type S3Server, startS3Server } from '../repository/s3-server.ts';

const MiB = 1024 * 1024;
const sizeMiB = 96;
const isRoot = process.getuid?.() === 0;
const never = new AbortController().signal;

let server: S3Server;
let store: DistantStore;
let rig: Awaited<ReturnType<typeof repositoryRig>>;
let directory: string;
let loops: string[];

beforeAll(async () => {
  server = await startS3Server();
  await server.makeBucket('backups');
  store = await startDistantStore({ upstream: server.endpoint, clock: systemClock });
  rig = await repositoryRig(server, { endpoint: store.endpoint }, testPassword, 'direct');
  await rig.initialise();
}, 900_000);
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});
beforeEach(async () => {
  directory = await mkdtemp(join(server.directory, 'case-'));
  loops = [];
});
afterEach(async () => {
  for (const loop of loops) sh('losetup --detach "$1"', loop);
  await rm(directory, { recursive: true, force: true });
});

const sh = (script: string, ...args: string[]) =>
  execFileSync('bash', ['-euc', script, 'bash', ...args], { encoding: 'utf8' });

/** A device with noise in its first 64 MiB; the rest reads as zeros. */
function aDevice(name: string): { device: string; file: string } {
  const file = join(directory, name);
  sh('head -c "$2" /dev/urandom > "$1"; truncate -s "$3" "$1"', file, String(64 * MiB), String(sizeMiB * MiB));
  const device = sh('losetup --find --show "$1"', file).trim();
  loops.push(device);
  return { device, file };
}

const scribble = (device: string, atBytes: number, bytes: number) =>
  sh(
    'head -c "$3" /dev/urandom | dd of="$1" bs=4096 seek="$2" oflag=seek_bytes conv=notrunc,fsync iflag=fullblock status=none',
    device,
    String(atBytes),
    String(bytes),
  );
const mustBeEqual = (original: string, device: string) =>
  sh('sync; blockdev --flushbufs "$2"; cmp "$1" "$2"', original, device);
/** The seventh field is the number of sectors of 512 bytes that were written (Linux, Documentation/block/stat). */
const writtenTo = (device: string) =>
  Number(
    readFileSync(`/sys/block/${basename(device)}/stat`, 'utf8')
      .trim()
      .split(/\s+/)[6],
  ) * 512;
const allocatedBytes = (file: string) => Number(sh('sync; du --block-size=1 "$1" | cut -f1', file));

const common = (device: string) => ({ volumePath: device, volumeMode: 'Block' as const, onProgress: () => {} });

async function backedUp(device: string, splitter = 'FIXED-4M'): Promise<{ snapshotID: string; original: string }> {
  const original = join(directory, 'original');
  sh('cp --sparse=always "$1" "$2"', device, original);
  const source = dataUploadSource('shop', `data-${basename(directory)}`, 'op-1');
  const { snapshotID } = await rig.use((uploader) =>
    uploader.upload({ ...common(device), source, config: { splitter }, signal: never }),
  );
  return { snapshotID, original };
}

function restore(
  device: string,
  snapshotID: string,
  config = {},
  more: { signal?: AbortSignal; onProgress?: (progress: { doneBytes?: number }) => void } = {},
): Promise<DownloadResult> {
  const request = { ...common(device), snapshotID, config: { SkipUnchangedFiles: 'true', ...config }, signal: never };
  return rig.use((uploader) => uploader.download({ ...request, ...more }));
}

const ways = [
  ['from the packs', {}],
  ['by the engine', { DirectRestore: 'false' }],
] as const;

/** A mover of the real program, with a DataDownload that restores only differences. */
function mover(device: string, snapshotID: string, movers: string, attempt: number) {
  const spec = { snapshotID, backupStorageLocation: 'default', sourceNamespace: 'shop', restoreType: 'incremental' };
  const movement: DataDownload = aDataDownload({ phase: 'InProgress', spec });
  const creationTimestamp = `${new Date(systemClock.now()).toISOString().slice(0, 19)}Z`;
  Object.assign(movement.metadata, { creationTimestamp, annotations: { [annotations.attempts]: String(attempt) } });
  return startMover({
    command: moverCommand,
    movement,
    objects: rigObjects(store.endpoint, 'kopia'),
    volumeMode: 'Block',
    volumePath: device,
    directory: movers,
    environment: { ...moverEnvironment(), LATEEN_LIMIT_MEMORY_BYTES: String(160 * MiB) },
  });
}

describe.skipIf(!isRoot)('a restore of differences into a block device', () => {
  it('is completed by the next mover when one is killed, and existing data is not written again', async () => {
    const { device } = aDevice('volume');
    const { snapshotID, original } = await backedUp(device);
    scribble(device, 0, 60 * MiB);
    const movers = await mkdtemp(join(directory, 'mover-'));
    await mkdir(join(movers, 'scratch'));
    const before = writtenTo(device);
    store.set({ bytesPerSecond: 12 * MiB });
    const first = await mover(device, snapshotID, movers, 1);
    while (writtenTo(device) - before < 16 * MiB) await systemClock.sleep(10);
    first.kill();
    expect(await first.ended).toMatchObject({ exitCode: null, message: '' });
    store.set({});
    const second = await (await mover(device, snapshotID, movers, 2)).ended;
    expect(second.exitCode, second.log).toBe(0);
    mustBeEqual(original, device);
    const { report } = JSON.parse(second.message) as { report: Record<string, number> };
    expect(report).toMatchObject({ reader: 'packs', comparedBytes: sizeMiB * MiB });
    expect(report.writtenBytes).toBeLessThanOrEqual(48 * MiB);
    expect(report.writtenBytes).toBeGreaterThan(0);
  });

  it.each(ways)('writes only chunks that differ, and the device equals the snapshot, %s', async (_, config) => {
    const { device } = aDevice('volume');
    const { snapshotID, original } = await backedUp(device);
    scribble(device, 9 * MiB + 4096, 8192);
    scribble(device, 41 * MiB, 100);
    // Data where the snapshot has zeros, in a separate chunk.
    scribble(device, 72 * MiB, 4096);
    const before = writtenTo(device);
    const { totalBytes, report } = await restore(device, snapshotID, config);
    mustBeEqual(original, device);
    expect(totalBytes).toBe(sizeMiB * MiB);
    expect(report?.comparedBytes).toBe(sizeMiB * MiB);
    expect(report?.unchangedBytes).toBeGreaterThanOrEqual((sizeMiB - 12) * MiB);
    // Two chunks of 4 MiB, and the block of zeros.
    expect(report?.writtenBytes).toBeGreaterThan(0);
    expect(report?.writtenBytes).toBeLessThanOrEqual(8 * MiB + 4096);
    // The count of the kernel, which includes ranges that the storage zeroes by itself.
    expect(writtenTo(device) - before).toBeLessThanOrEqual(12 * MiB);
    if (report?.reader === 'packs') expect(report.storeBytes).toBeLessThan(16 * MiB);
    const again = await restore(device, snapshotID, config);
    expect(again.report).toMatchObject({ writtenBytes: 0, unchangedBytes: sizeMiB * MiB });
    mustBeEqual(original, device);
  });

  it.each(ways)('frees the space of data that the snapshot does not have, %s', async (_, config) => {
    const { device, file } = aDevice('volume');
    const { snapshotID, original } = await backedUp(device);
    const before = allocatedBytes(file);
    scribble(device, 68 * MiB, 16 * MiB);
    expect(allocatedBytes(file)).toBeGreaterThan(before + 15 * MiB);
    const { report } = await restore(device, snapshotID, config);
    mustBeEqual(original, device);
    expect(allocatedBytes(file)).toBeLessThan(before + MiB);
    expect(report?.writtenBytes).toBe(0);
  });

  it('has the same result as a full restore, whatever the device held and however its snapshot is split', async () => {
    const { device } = aDevice('volume');
    const { snapshotID, original } = await backedUp(device, 'DYNAMIC-4M-BUZHASH');
    scribble(device, 0, 30 * MiB);
    await restore(device, snapshotID);
    mustBeEqual(original, device);
    scribble(device, 20 * MiB, 60 * MiB);
    const { report } = await restore(device, snapshotID, { SkipUnchangedFiles: 'false' });
    mustBeEqual(original, device);
    expect(report?.comparedBytes).toBeUndefined();
  });

  it.each(ways)('is correct when it is repeated after an interruption and writes by others, %s', async (_, config) => {
    const { device } = aDevice('volume');
    const { snapshotID, original } = await backedUp(device);
    scribble(device, 0, 80 * MiB);
    const abort = new AbortController();
    const reason = new AppError('DATA_PATH_CANCELED', 'data path is canceled');
    const onProgress = ({ doneBytes = 0 }) => doneBytes > 12 * MiB && abort.abort(reason);
    // It must not end before its first progress.
    store.set({ bytesPerSecond: 12 * MiB });
    const ended = restore(device, snapshotID, config, { signal: abort.signal, onProgress });
    await expect(ended).rejects.toBe(reason);
    store.set({});
    // A partly written chunk, and a write by another program.
    scribble(device, 5 * MiB + 777, 70_000);
    scribble(device, 90 * MiB, 4096);
    await restore(device, snapshotID, config);
    mustBeEqual(original, device);
  });
});
