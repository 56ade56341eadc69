import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { command, makeScratch, type Scratch } from '@lateen/csi-rig';
import type { Area } from '@lateen/file-extents';
import { type Random, silentLogger, systemClock } from '@lateen/kernel';
import { seededRandom } from '@lateen/testing';
import { type Host, hostCommands, nodeFiles, snapshotAreas } from '@lateen/volume';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const KiB = 1024;
const MiB = 1024 * KiB;
const diskBytes = 640 * MiB;
const granuleBytes = 4 * KiB;
const setUpMs = 120_000;
const { signal } = new AbortController();
const isRoot = process.getuid?.() === 0;

const host: Host = {
  run: hostCommands({ clock: systemClock, environment: process.env }),
  files: nodeFiles,
  log: silentLogger,
  clock: systemClock,
};

let scratch: Scratch;
const file = (name: string) => join(scratch.stateParent, name);

async function grown(name: string, bytes: number): Promise<FileHandle> {
  const handle = await open(file(name), 'w+');
  await handle.truncate(bytes);
  return handle;
}

/** Writes, zeroes and punches holes at random places, then syncs. */
async function scribble(name: string, sizeBytes: number, random: Random, count: number): Promise<void> {
  await using handle = await open(file(name), 'r+');
  const below = (limit: number) => Math.floor(random.next() * limit);
  for (let done = 0; done < count; done++) {
    const at = below(sizeBytes);
    const length = Math.min(1 + below(below(8) === 0 ? 700 * KiB : 9 * KiB), sizeBytes - at);
    if (below(4) > 0) await handle.write(Buffer.alloc(length, 1 + below(255)), 0, length, at);
    else await command('fallocate', '--punch-hole', '--offset', String(at), '--length', String(length), file(name));
  }
  await handle.sync();
}

async function areas(name: string, sizeBytes: number, o: { since?: string; startBytes?: number } = {}) {
  const since = o.since === undefined ? {} : { since: { file: file(o.since), sizeBytes } };
  return Array.fromAsync(
    snapshotAreas(host, { file: file(name), sizeBytes, ...since, startBytes: o.startBytes ?? 0 }, signal),
  );
}

async function expectCovered(found: readonly Area[], name: string, since: string | undefined, sizeBytes: number) {
  for (const [at, area] of found.entries()) {
    expect(area.startBytes % granuleBytes).toBe(0);
    expect(area.endBytes % granuleBytes === 0 || area.endBytes === sizeBytes).toBe(true);
    expect(area.startBytes).toBeGreaterThan(found[at - 1]?.endBytes ?? -1);
    expect(area.endBytes).toBeGreaterThan(area.startBytes);
  }
  await using one = await open(file(name));
  await using other = since === undefined ? undefined : await open(file(since));
  const [a, b] = [Buffer.alloc(granuleBytes), Buffer.alloc(granuleBytes)];
  const missed: number[] = [];
  let next = 0;
  for (let at = 0; at < sizeBytes; at += granuleBytes) {
    while (next < found.length && (found[next]?.endBytes ?? 0) <= at) next++;
    if ((found[next]?.startBytes ?? Infinity) <= at) continue;
    await one.read(a.fill(0), 0, granuleBytes, at);
    await other?.read(b.fill(0), 0, granuleBytes, at);
    if (!a.equals(b)) missed.push(at);
  }
  expect(missed).toEqual([]);
}

describe.skipIf(!isRoot)('changed areas of files that share blocks (XFS)', () => {
  beforeAll(async () => {
    scratch = await makeScratch('xfs', diskBytes);
  }, setUpMs);
  afterAll(async () => scratch[Symbol.asyncDispose]());

  it.each([1, 2, 3, 4])('cover every byte that differs, and nothing in an equal copy (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    const sizeBytes = 24 * MiB + Math.floor(random.next() * MiB);
    await (await grown('volume', sizeBytes)).close();
    await scribble('volume', sizeBytes, random, 60);
    await command('cp', '--reflink=always', file('volume'), file('s1'));
    await command('cp', '--reflink=always', file('volume'), file('same'));
    await scribble('volume', sizeBytes, random, 40);
    await command('cp', '--reflink=always', file('volume'), file('s2'));
    await scribble('volume', sizeBytes, random, 20);

    await expectCovered(await areas('s1', sizeBytes), 's1', undefined, sizeBytes);
    expect(await areas('same', sizeBytes, { since: 's1' })).toEqual([]);
    const changed = await areas('s2', sizeBytes, { since: 's1' });
    await expectCovered(changed, 's2', 's1', sizeBytes);
    expect(await areas('s1', sizeBytes, { since: 's2' })).toEqual(changed);
    for (const name of ['volume', 's1', 'same', 's2']) await rm(file(name));
  });

  it('have one granule for one byte, and can be listed from any offset', async () => {
    const sizeBytes = 8 * MiB;
    await using handle = await grown('volume', sizeBytes);
    await handle.write(Buffer.alloc(sizeBytes, 7), 0, sizeBytes, 0);
    await handle.sync();
    await command('cp', '--reflink=always', file('volume'), file('s1'));
    for (const at of [100 * KiB + 5, 3 * MiB + 1, 8 * MiB - 1]) await handle.write(Buffer.of(9), 0, 1, at);
    await handle.sync();
    const granule = (startBytes: number) => ({ startBytes, endBytes: startBytes + granuleBytes });
    const all = [granule(100 * KiB), granule(3 * MiB), granule(8 * MiB - 4 * KiB)];
    expect(await areas('volume', sizeBytes, { since: 's1' })).toEqual(all);
    expect(await areas('volume', sizeBytes, { since: 's1', startBytes: 3 * MiB + 17 })).toEqual(all.slice(1));
    expect(await areas('volume', sizeBytes, { since: 's1', startBytes: 3 * MiB + 4 * KiB })).toEqual(all.slice(2));
  });

  it('are complete when one answer of the file system cannot hold them', async () => {
    const sizeBytes = 64 * MiB;
    await using handle = await grown('many', sizeBytes);
    for (let at = 0; at < sizeBytes; at += 2 * granuleBytes) await handle.write(Buffer.of(1), 0, 1, at);
    await handle.sync();
    const found = await areas('many', sizeBytes);
    expect(found).toHaveLength(sizeBytes / granuleBytes / 2);
    await expectCovered(found, 'many', undefined, sizeBytes);
  });
});

describe.skipIf(!isRoot)('changed areas of files that share no blocks (ext4)', () => {
  it('are all data of both files', async () => {
    scratch = await makeScratch('ext4', diskBytes);
    try {
      const sizeBytes = 16 * MiB;
      await (await grown('one', sizeBytes)).close();
      await scribble('one', sizeBytes, seededRandom(5), 30);
      await command('cp', '--sparse=always', file('one'), file('other'));
      await scribble('other', sizeBytes, seededRandom(6), 10);
      await expectCovered(await areas('other', sizeBytes), 'other', undefined, sizeBytes);
      await expectCovered(await areas('other', sizeBytes, { since: 'one' }), 'other', 'one', sizeBytes);
    } finally {
      await scratch[Symbol.asyncDispose]();
    }
  });
});

it.skipIf(!isRoot)('without extent information from the file system, the whole file is one area', async () => {
  const path = `/proc/self/status`;
  const found = await Array.fromAsync(snapshotAreas(host, { file: path, sizeBytes: 10_000, startBytes: 5000 }, signal));
  expect(found).toEqual([{ startBytes: 4096, endBytes: 10_000 }]);
});
