import { chmod, mkdtemp, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyVolumeRoot, readVolumeRoot } from './volume-root.ts';

let directories: string[] = [];

beforeEach(async () => {
  directories = await Promise.all(['a', 'b'].map(() => mkdtemp(join(tmpdir(), 'lateen-root-'))));
});
afterEach(() => Promise.all(directories.map((each) => rm(each, { recursive: true }))));

describe('the root of a volume', () => {
  it.each([0o700, 0o1777, 0o2775])('keeps mode %o, owner and time', async (mode) => {
    const [from = '', to = ''] = directories;
    await utimes(from, 1_700_000_000, 1_234_567_890.123456);
    await chmod(from, mode);
    await applyVolumeRoot(to, await readVolumeRoot(from));
    const [before, after] = [await stat(from), await stat(to)];
    expect(after).toMatchObject({ mode: before.mode, uid: before.uid, gid: before.gid });
    expect(Math.abs(after.mtimeMs - before.mtimeMs)).toBeLessThan(0.01);
    expect(await readVolumeRoot(to)).toBe(await readVolumeRoot(from));
  });

  it.each(['', '0777', '999 0:0 1', '700 0:0 1; rm', '700 -1:0 1'])('is left unchanged by %j', async (text) => {
    const [, to = ''] = directories;
    const before = await readVolumeRoot(to);
    await applyVolumeRoot(to, text);
    expect(await readVolumeRoot(to)).toBe(before);
  });
});
