import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replicaType, storageAnnotations } from '@lateen/storage-types';
import { execa } from 'execa';
import { afterEach, describe, expect, it } from 'vitest';
import type { RigNode } from '../block/instance-manager-rig.ts';
import { detach, engineUntil, type ManagedVolume, managedVolume, volume } from '../block/instance-manager-volume.ts';

const MiB = 1024 * 1024;
const testMs = 240_000;
const isRoot = process.getuid?.() === 0;
const chunkBytes = 4 * MiB;

let world: ManagedVolume | undefined;
const mounted: string[] = [];
afterEach(async () => {
  for (const path of mounted.splice(0)) await execa('umount', ['--lazy', path]);
  await world?.[Symbol.asyncDispose]();
  world = undefined;
}, testMs);

/** A disk with room for a part of the volume alone. */
async function smallDisk({ directory }: ManagedVolume, { name, disk }: RigNode): Promise<void> {
  const file = join(directory, `${name}.disk`);
  await execa('truncate', [`--size=${96 * MiB}`, file]);
  await execa('mkfs.ext4', ['-q', '-F', '-m', '0', file]);
  await execa('mount', ['-o', 'loop', file, disk]);
  mounted.push(disk);
}

async function started(replicas: readonly string[], small: 0 | 1): Promise<ManagedVolume> {
  world = await managedVolume(replicas);
  await smallDisk(world, world.nodes[small]);
  await Promise.all(world.nodes.map((node) => node.start()));
  return world;
}

/** Writes the same chunk at one place after the other until the device refuses one. @returns how many it has acknowledged */
async function writeUntilRefused(device: string, chunk: string, chunks: number): Promise<number> {
  for (let at = 0; at < chunks; at++) {
    const place = ['bs=4M', `seek=${at}`, 'count=1', 'oflag=direct', 'conv=notrunc,fsync'];
    const { exitCode } = await execa('dd', [`if=${chunk}`, `of=${device}`, ...place], { reject: false });
    if (exitCode !== 0) return at;
  }
  return chunks;
}

async function expectChunks(device: string, chunk: Buffer, chunks: number): Promise<void> {
  for (let at = 0; at < chunks; at++) {
    const place = [`if=${device}`, 'bs=4M', `skip=${at}`, 'count=1', 'iflag=direct'];
    const { stdout } = await execa('dd', place, { encoding: 'buffer' });
    expect([at, Buffer.from(stdout).equals(chunk)]).toEqual([at, true]);
  }
}

async function aChunk({ directory }: ManagedVolume): Promise<{ path: string; bytes: Buffer }> {
  const path = join(directory, 'chunk');
  const bytes = randomBytes(chunkBytes);
  await writeFile(path, bytes);
  return { path, bytes };
}

describe.skipIf(!isRoot)('a replica whose disk has no room left', () => {
  it('is left out and says why, and the volume goes on with the other one', { timeout: testMs }, async () => {
    const managed = await started(['r-a', 'r-b'], 1);
    const device = await managed.attach(1, { 'r-a': 0, 'r-b': 1 });
    const { path, bytes } = await aChunk(managed);
    expect(await writeUntilRefused(device, path, 40)).toBe(40);
    expect(await managed.modes()).toEqual({ 'r-a': 'RW', 'r-b': 'ERR' });
    await expect.poll(() => managed.failedAt('r-b'), { timeout: 20_000 }).toMatch(/^\d{4}-/);
    const failed = await managed.cluster.get(replicaType, { namespace: volume.namespace, name: 'r-b' });
    expect(failed.metadata.annotations?.[storageAnnotations.failureCause]).toMatch(/^no room left: /);
    await expectChunks(device, bytes, 40);
    expect(await detach(managed, 1, { 'r-a': 0, 'r-b': 1 })).toBe(true);
  });

  it('that is the only one ends the volume, which has all that was acknowledged when there is room again', {
    timeout: testMs,
  }, async () => {
    const managed = await started(['r-a'], 0);
    const [n1] = managed.nodes;
    const filler = join(n1.disk, 'filler');
    await execa('fallocate', ['--length', String(40 * MiB), filler]);
    const device = await managed.attach(1, { 'r-a': 0 });
    const { path, bytes } = await aChunk(managed);
    const acknowledged = await writeUntilRefused(device, path, 40);
    expect(acknowledged).toBeGreaterThan(2);
    expect(acknowledged).toBeLessThan(20);
    const ended = await engineUntil(n1, ({ state }) => state === 'error');
    expect(ended.error?.message).toContain('no room left');
    expect(await managed.modes()).toEqual({ 'r-a': 'RW' });
    await rm(filler);
    await managed.stop(n1, 'frontend', volume.engine, 1);
    await managed.stop(n1, 'engine', volume.engine, 1);
    await managed.raise(2);
    const next = await managed.attach(2, { 'r-a': 0 }, { compareHeads: true, readPrimary: 'r-a' });
    await expectChunks(next, bytes, acknowledged);
    expect(await writeUntilRefused(next, path, acknowledged + 2)).toBe(acknowledged + 2);
    expect(await detach(managed, 2, { 'r-a': 0 })).toBe(true);
  });
});
