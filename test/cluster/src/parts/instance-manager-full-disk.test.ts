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

/** A disk with room for only a part of the volume. */
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

/** Writes the same chunk at one place after the other until the device rejects one; returns the error of `dd`. */
async function writeUntilRefused(device: string, chunk: string, chunks: number, from = 0) {
  for (let acknowledged = from; acknowledged < chunks; acknowledged++) {
    const place = ['bs=4M', `seek=${acknowledged}`, 'count=1', 'oflag=direct', 'conv=notrunc,fsync'];
    const { exitCode, stderr } = await execa('dd', [`if=${chunk}`, `of=${device}`, ...place], { reject: false });
    if (exitCode !== 0) return { acknowledged, refusal: stderr };
  }
  return { acknowledged: chunks, refusal: '' };
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
  it('fails and reports why, and the volume continues with the other replica', { timeout: testMs }, async () => {
    const managed = await started(['r-a', 'r-b'], 1);
    const device = await managed.attach(1, { 'r-a': 0, 'r-b': 1 });
    const { path, bytes } = await aChunk(managed);
    expect(await writeUntilRefused(device, path, 40)).toMatchObject({ acknowledged: 40 });
    expect(await managed.modes()).toEqual({ 'r-a': 'RW', 'r-b': 'ERR' });
    await expect.poll(() => managed.failedAt('r-b'), { timeout: 20_000 }).toMatch(/^\d{4}-/);
    const failed = await managed.cluster.get(replicaType, { namespace: volume.namespace, name: 'r-b' });
    expect(failed.metadata.annotations?.[storageAnnotations.failureCause]).toMatch(/^no room left: /);
    await expectChunks(device, bytes, 40);
    expect(await detach(managed, 1, { 'r-a': 0, 'r-b': 1 })).toBe(true);
  });

  it('that is the only one rejects writes with ENOSPC, and accepts them when there is room again', {
    timeout: testMs,
  }, async () => {
    const managed = await started(['r-a'], 0);
    const [n1] = managed.nodes;
    const filler = join(n1.disk, 'filler');
    await execa('fallocate', ['--length', String(40 * MiB), filler]);
    const device = await managed.attach(1, { 'r-a': 0 });
    const { path, bytes } = await aChunk(managed);
    const { acknowledged, refusal } = await writeUntilRefused(device, path, 40);
    expect(acknowledged).toBeGreaterThan(2);
    expect(acknowledged).toBeLessThan(20);
    expect(refusal).toContain('No space left on device');
    // Repeated: the engine and its replica stay, and all acknowledged data too.
    expect(await writeUntilRefused(device, path, 40, acknowledged)).toMatchObject({ acknowledged });
    await expectChunks(device, bytes, acknowledged);
    const full = await engineUntil(n1, ({ engine }) => engine?.noRoom !== undefined);
    expect(full).toMatchObject({ state: 'running', engine: { noRoom: { replica: 'r-a' }, modes: { 'r-a': 'RW' } } });
    expect(await managed.failedAt('r-a')).toBeUndefined();
    await rm(filler);
    expect(await writeUntilRefused(device, path, acknowledged + 2)).toMatchObject({ acknowledged: acknowledged + 2 });
    await expectChunks(device, bytes, acknowledged + 2);
    expect(await detach(managed, 1, { 'r-a': 0 })).toBe(true);
    await managed.raise(2);
    const next = await managed.attach(2, { 'r-a': 0 });
    await expectChunks(next, bytes, acknowledged + 2);
    expect(await detach(managed, 2, { 'r-a': 0 })).toBe(true);
  });
});
