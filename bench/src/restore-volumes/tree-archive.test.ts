import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { treeArchive } from './tree-archive.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-tree-archive-'));
});
afterEach(() => rm(directory, { recursive: true }));

describe('treeArchive', () => {
  it('returns an archive that tar can extract, with the same bytes for the same seed', async () => {
    const files = [
      { path: 'd/one', bytes: 700, seed: 'a' },
      { path: 'd/two', bytes: 700, seed: 'a' },
      { path: 'other', bytes: 3 * 1024 * 1024 + 5, seed: 'b' },
      { path: 'empty', bytes: 0, seed: 'c' },
    ];
    const pieces = await Array.fromAsync(treeArchive(files));
    execFileSync('tar', ['-x', '-C', directory], { input: Buffer.concat(pieces) });
    for (const { path, bytes } of files) expect((await stat(join(directory, path))).size).toBe(bytes);
    const read = (path: string) => readFile(join(directory, path));
    expect((await read('d/one')).equals(await read('d/two'))).toBe(true);
    expect((await read('other')).subarray(0, 700).equals(await read('d/one'))).toBe(false);
  });
});
