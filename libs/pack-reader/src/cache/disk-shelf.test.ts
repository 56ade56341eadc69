import { mkdtemp, readdir, rm, truncate, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordingLog, seededRandom } from '@lateen/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DiskShelf } from './disk-shelf.ts';

const MiB = 1024 * 1024;
let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'lateen-shelf-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const aPack = (bytes: number, salt = 0) => Uint8Array.from({ length: bytes }, (_, at) => (at * 7 + salt) & 0xff);

async function* pieces(whole: Uint8Array, failAfter = Number.POSITIVE_INFINITY): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < whole.length; at += 65_536) {
    if (at >= failAfter) throw new Error('cut');
    yield whole.subarray(at, at + 65_536);
  }
}

function aShelf(bytesMax: number, directory = join(root, 'packs')) {
  const log = recordingLog();
  return { shelf: new DiskShelf({ directory, bytesMax, log }), lines: log.lines, directory };
}

const part = async (shelf: DiskShelf, packId: string, offset: number, length: number) => {
  const into = new Uint8Array(new SharedArrayBuffer(length));
  return (await shelf.read(packId, offset, into)) ? Buffer.from(into) : undefined;
};

describe('DiskShelf', () => {
  it('returns any part of what it holds, and reports what it does not have', async () => {
    const { shelf, directory } = aShelf(10 * MiB);
    const pack = aPack(200_000);
    expect(await part(shelf, 'p', 0, 1)).toBeUndefined();
    expect(await shelf.keep('p', pieces(pack))).toBe(true);
    expect(await part(shelf, 'p', 100_000, 70_000)).toEqual(Buffer.from(pack.subarray(100_000, 170_000)));
    expect(await part(shelf, 'p', 199_999, 1)).toEqual(Buffer.from(pack.subarray(199_999)));
    expect(await readdir(directory)).toHaveLength(1);
    await shelf.forget('p');
    expect([await part(shelf, 'p', 0, 1), await readdir(directory)]).toEqual([undefined, []]);
    expect(await shelf.keep('empty', pieces(aPack(0)))).toBe(true);
    expect(await part(shelf, 'empty', 0, 0)).toEqual(Buffer.alloc(0));
  });

  it('returns each part of packs of any size, and never a wrong byte', async () => {
    for (let seed = 1; seed <= 30; seed++) {
      const random = seededRandom(seed);
      const pick = (count: number) => Math.floor(random.next() * count);
      const { shelf, directory } = aShelf(10 * MiB, join(root, String(seed)));
      const pack = aPack(1 + pick(seed % 3 === 0 ? 2_000_000 : 200_000), seed);
      await shelf.keep('p', pieces(pack));
      for (let times = 0; times < 10; times++) {
        const offset = pick(pack.length);
        const length = 1 + pick(pack.length - offset);
        const got = (await part(shelf, 'p', offset, length)) ?? Buffer.alloc(0);
        expect(Buffer.compare(got, pack.subarray(offset, offset + length)), `seed ${seed}`).toBe(0);
      }
      const at = pick(pack.length);
      const spoilt = Uint8Array.from(pack);
      spoilt[at] = (spoilt[at] ?? 0) ^ (1 << pick(8));
      await writeFile(join(directory, '0'), spoilt);
      expect(await part(shelf, 'p', at, 1)).toBeUndefined();
    }
  });

  it('drops the least recently used packs, and never exceeds its limit', async () => {
    const { shelf } = aShelf(3 * MiB);
    for (const packId of ['a', 'b', 'c']) expect(await shelf.keep(packId, pieces(aPack(MiB)))).toBe(true);
    expect(await part(shelf, 'a', 0, 1)).toBeDefined();
    expect(await shelf.keep('d', pieces(aPack(MiB)))).toBe(true);
    const there = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (id) => (await part(shelf, id, 0, 1)) !== undefined),
    );
    expect(there).toEqual([true, false, true, true]);
    expect(await shelf.keep('large', pieces(aPack(4 * MiB)))).toBe(false);
    expect(await part(shelf, 'large', 0, 1)).toBeUndefined();
  });

  it.each<[string, (file: string) => Promise<void>]>([
    ['deleted', (file) => unlink(file)],
    ['cut', (file) => truncate(file, 1_000)],
    ['written by another program', (file) => writeFile(file, aPack(100_000, 1))],
  ])('does not return a pack whose file was %s, and can store it again', async (_, spoil) => {
    const { shelf, directory, lines } = aShelf(10 * MiB);
    const pack = aPack(100_000);
    await shelf.keep('p', pieces(pack));
    for (const name of await readdir(directory)) await spoil(join(directory, name));
    expect(await part(shelf, 'p', 50_000, 10)).toBeUndefined();
    expect(await part(shelf, 'p', 0, 10)).toBeUndefined();
    expect(await shelf.keep('p', pieces(pack))).toBe(true);
    expect(await part(shelf, 'p', 50_000, 10)).toEqual(Buffer.from(pack.subarray(50_000, 50_010)));
    expect(lines).toEqual([]);
  });

  it('stores nothing of a pack whose download fails, and reports the failure', async () => {
    const { shelf, directory } = aShelf(10 * MiB);
    await expect(shelf.keep('p', pieces(aPack(300_000), 100_000))).rejects.toThrow('cut');
    expect([await readdir(directory), shelf.isOpen]).toEqual([[], true]);
    expect(await shelf.keep('p', pieces(aPack(300_000)))).toBe(true);
  });

  it('stores nothing where it cannot write, logs that once, and does not fail', async () => {
    await writeFile(join(root, 'file'), 'x');
    const { shelf, lines } = aShelf(10 * MiB, join(root, 'file', 'packs'));
    expect(await shelf.keep('p', pieces(aPack(10)))).toBe(false);
    expect(await shelf.keep('p', pieces(aPack(10)))).toBe(false);
    expect([shelf.isOpen, await part(shelf, 'p', 0, 1)]).toEqual([false, undefined]);
    expect(lines.map(({ message }) => message)).toEqual(['packs are kept on disk less, or not any more']);
  });

  it('works without its directory when that is deleted', async () => {
    const { shelf, directory, lines } = aShelf(10 * MiB);
    await shelf.keep('p', pieces(aPack(10)));
    await rm(directory, { recursive: true });
    expect(await part(shelf, 'p', 0, 1)).toBeUndefined();
    expect(await shelf.keep('q', pieces(aPack(10)))).toBe(false);
    expect(lines).toHaveLength(1);
  });

  it('starts empty and leaves nothing behind', async () => {
    const first = aShelf(10 * MiB);
    await first.shelf.keep('p', pieces(aPack(10)));
    const { shelf, directory } = aShelf(10 * MiB);
    expect(await shelf.keep('q', pieces(aPack(10)))).toBe(true);
    expect(await readdir(directory)).toHaveLength(1);
    await shelf.close();
    expect(await readdir(root)).toEqual([]);
    expect(await shelf.keep('p', pieces(aPack(10)))).toBe(false);
  });

  it('deletes the files of a killed process, even when it stores nothing', async () => {
    const killed = aShelf(10 * MiB);
    await killed.shelf.keep('p', pieces(aPack(10)));
    await aShelf(10 * MiB).shelf.close();
    expect(await readdir(root)).toEqual([]);
  });
});
