import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { csi } from '@lateen/csi';
import {
  command,
  createSnapshotRequest,
  createVolumeRequest,
  type DriverProcess,
  leftoversBelow,
  publishRequest,
  type Scratch,
  stageRequest,
} from '@lateen/csi-rig';
import type { Random } from '@lateen/kernel';
import { expect } from 'vitest';

const MiB = 1024 * 1024;
export const volumeBytes = 24 * MiB;
const o = { signal: new AbortController().signal };

/** A volume that is published as a device, as for a database. */
export interface RawVolume {
  readonly id: string;
  readonly device: string;
}

export async function rawVolume(
  scratch: Scratch,
  driver: DriverProcess,
  name: string,
  bytes = volumeBytes,
): Promise<RawVolume> {
  const { volume } = await driver.controller.createVolume(createVolumeRequest(name, bytes), o);
  const id = volume?.volumeId ?? '';
  const under = (what: string) => join(scratch.directory, 'targets', `${name}-${what}`);
  await mkdir(join(scratch.directory, 'targets'), { recursive: true });
  const places = { volumeId: id, stagingTargetPath: under('staging'), targetPath: under('device'), fsType: undefined };
  await mkdir(places.stagingTargetPath);
  await driver.node.nodeStageVolume(stageRequest(places), o);
  await driver.node.nodePublishVolume(publishRequest(places), o);
  return { id, device: places.targetPath };
}

export async function release(scratch: Scratch, driver: DriverProcess, { id, device }: RawVolume): Promise<void> {
  await driver.node.nodeUnpublishVolume({ volumeId: id, targetPath: device }, o);
  const stagingTargetPath = device.replace(/device$/, 'staging');
  await driver.node.nodeUnstageVolume({ volumeId: id, stagingTargetPath }, o);
  expect((await leftoversBelow(scratch.directory)).loops).toEqual([]);
}

/** Writes, zeroes and discards through the device. */
export async function scribble({ device }: RawVolume, random: Random, count: number): Promise<void> {
  const below = (limit: number) => Math.floor(random.next() * limit);
  await using handle = await open(device, 'r+');
  for (let done = 0; done < count; done++) {
    const at = below(volumeBytes / 512) * 512;
    const length = Math.min((1 + below(below(6) === 0 ? 1000 : 20)) * 512, volumeBytes - at);
    if (below(4) > 0) await handle.write(Buffer.alloc(length, below(5) * 51), 0, length, at);
    else await command('blkdiscard', '--offset', String(at), '--length', String(length), device);
  }
  await handle.sync();
}

export const contentOf = (scratch: Scratch, snapshotId: string): Promise<Buffer> =>
  readFile(join(scratch.stateParent, 'lateen', 'data', `${snapshotId}.img`));

export async function takeSnapshot(driver: DriverProcess, volume: RawVolume, name: string): Promise<string> {
  const { snapshot } = await driver.controller.createSnapshot(createSnapshotRequest(name, volume.id), o);
  return snapshot?.snapshotId ?? '';
}

/** The result of copying these blocks, and nothing else, over `base`. */
export function patched(base: Buffer, target: Buffer, tuples: readonly csi.BlockMetadata[]): Buffer {
  const result = Buffer.from(base);
  for (const { byteOffset, sizeBytes } of tuples)
    target.copy(result, Number(byteOffset), Number(byteOffset), Number(byteOffset + sizeBytes));
  return result;
}

/** Creates more runs of blocks than the buffers of an unread connection can hold. */
export async function fragment({ device }: RawVolume, bytes: number): Promise<void> {
  await using handle = await open(device, 'r+');
  for (let at = 0; at < bytes; at += 8192) await handle.write(Buffer.alloc(4096, 1), 0, 4096, at);
  await handle.sync();
}

export async function publishedAgain(
  scratch: Scratch,
  driver: DriverProcess,
  { id, device }: RawVolume,
): Promise<RawVolume> {
  const stagingTargetPath = join(scratch.directory, 'targets', 'data-staging');
  const places = { volumeId: id, stagingTargetPath, targetPath: device, fsType: undefined };
  await mkdir(stagingTargetPath, { recursive: true });
  await driver.node.nodeStageVolume(stageRequest(places), o);
  await driver.node.nodePublishVolume(publishRequest(places), o);
  return { id, device };
}
