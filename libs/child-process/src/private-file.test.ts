import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clearPrivateDirectory, writePrivateFile } from './private-file.ts';

let directory: string;
const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'lateen-private-')), 'secrets');
});
afterEach(() => rm(join(directory, '..'), { recursive: true, force: true }));

describe('writePrivateFile', () => {
  it('creates file and directory for the owner only, with any umask', async () => {
    const before = process.umask(0);
    try {
      await writePrivateFile(join(directory, 'key'), 'one');
    } finally {
      process.umask(before);
    }
    expect(await modeOf(join(directory, 'key'))).toBe(0o600);
    expect(await modeOf(directory)).toBe(0o700);
  });

  it('shows readers the old or the new content, never a part, while many write', async () => {
    const path = join(directory, 'key');
    const contents = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(300_000));
    await writePrivateFile(path, contents[0] ?? '');
    let writing = true;
    const writes = Promise.all(
      contents.map(async (content) => {
        for (let round = 0; round < 5; round++) await writePrivateFile(path, content);
      }),
    ).finally(() => {
      writing = false;
    });
    let reads = 0;
    for (; writing; reads++) expect(contents).toContain(await readFile(path, 'utf8'));
    await writes;
    expect(reads).toBeGreaterThan(0);
    expect(await readdir(directory)).toEqual(['key']);
  });

  it('keeps the old file and leaves nothing else when it fails', async () => {
    // A directory cannot be replaced by a file.
    await mkdir(join(directory, 'key', 'old'), { recursive: true });
    await expect(writePrivateFile(join(directory, 'key'), 'secret')).rejects.toThrow();
    expect(await readdir(directory, { recursive: true })).toEqual(['key', 'key/old']);
  });
});

describe('clearPrivateDirectory', () => {
  it('removes what a crash during a write has left, and the files of its sessions', async () => {
    await mkdir(join(directory, '.unfinished-x'), { recursive: true, mode: 0o755 });
    await writeFile(join(directory, '.unfinished-x', 'content'), 'half a secr');
    await writePrivateFile(join(directory, 'udmrepo', 'session-1', 'credentials.json'), 'secret');
    await clearPrivateDirectory(directory);
    expect(await readdir(directory)).toEqual([]);
    expect(await modeOf(directory)).toBe(0o700);
  });

  it('creates a missing directory', async () => {
    await clearPrivateDirectory(directory);
    expect(await readdir(directory)).toEqual([]);
  });
});
