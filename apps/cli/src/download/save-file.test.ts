import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '@lateen/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { saveFile } from './save-file.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-save-'));
});
afterEach(() => rm(directory, { recursive: true }));

const at = (name = 'f') => join(directory, name);
async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}
async function* failing(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('half');
  throw new Error('the store hung up');
}
const options = (force = false) => ({ force, random: seededRandom() });

describe('saveFile', () => {
  it('writes the whole file, for its owner only, and reports its progress', async () => {
    const done: number[] = [];
    await saveFile(at(), pieces('ab', 'cde'), { ...options(), onProgress: (bytes) => done.push(bytes) });
    expect(await readFile(at(), 'utf8')).toBe('abcde');
    expect((await stat(at())).mode & 0o777).toBe(0o600);
    expect(done).toEqual([2, 5]);
    expect(await readdir(directory)).toEqual(['f']);
  });

  it('keeps an existing file, unless it is to be replaced', async () => {
    await writeFile(at(), 'old');
    await expect(saveFile(at(), pieces('new'), options())).rejects.toMatchObject({ code: 'FILE_EXISTS' });
    expect(await readFile(at(), 'utf8')).toBe('old');
    await saveFile(at(), pieces('new'), options(true));
    expect(await readFile(at(), 'utf8')).toBe('new');
    expect(await readdir(directory)).toEqual(['f']);
  });

  it('leaves nothing of an incomplete file, and keeps the earlier file', async () => {
    await expect(saveFile(at('a'), failing(), options())).rejects.toThrow('the store hung up');
    await writeFile(at('b'), 'old');
    await expect(saveFile(at('b'), failing(), options(true))).rejects.toThrow('the store hung up');
    expect(await readdir(directory)).toEqual(['b']);
    expect(await readFile(at('b'), 'utf8')).toBe('old');
  });

  it('names a file that cannot be written', async () => {
    await expect(saveFile(at('no/f'), pieces('a'), options())).rejects.toMatchObject({
      code: 'FILE_NOT_WRITTEN',
      message: expect.stringContaining('no/f'),
    });
    await expect(saveFile(directory, pieces('a'), options(true))).rejects.toMatchObject({ code: 'FILE_IS_DIRECTORY' });
  });
});
