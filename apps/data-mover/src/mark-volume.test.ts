import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, systemClock } from '@lateen/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isMarked, markVolume } from './mark-volume.ts';
import { waitForVolumes } from './restore-wait.ts';

const { signal } = new AbortController();
const mark = { restoreUid: 'f0e1-22' };
let directory: string;
let volume: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-mark-'));
  volume = join(directory, 'restores', 'data');
  await mkdir(volume, { recursive: true });
});
afterEach(() => rm(directory, { recursive: true }));

const modeOf = async (path: string) => ((await lstat(path)).mode & 0o7777).toString(8);

describe('markVolume', () => {
  it('creates an empty file that others may read, whatever the umask is', async () => {
    const umask = process.umask(0o077);
    await markVolume(volume, mark, signal).finally(() => process.umask(umask));
    expect(await readFile(join(volume, '.velero', 'f0e1-22'), 'utf8')).toBe('');
    expect([await modeOf(join(volume, '.velero')), await modeOf(join(volume, '.velero/f0e1-22'))]).toEqual([
      '755',
      '644',
    ]);
  });

  it('lets the waiting init container end, which removes it', async () => {
    await markVolume(volume, mark, signal);
    await waitForVolumes(
      { clock: systemClock, log: silentLogger },
      { directory: join(directory, 'restores'), restoreUid: mark.restoreUid },
      signal,
    );
    expect(await readdir(volume)).toEqual([]);
  });

  it('replaces what the snapshot or an earlier restore has left under the name, and may be repeated', async () => {
    await mkdir(join(volume, '.velero', 'deep'), { recursive: true });
    await writeFile(join(volume, '.velero', 'another-uid'), '');
    await markVolume(volume, mark, signal);
    await markVolume(volume, mark, signal);
    expect(await readdir(join(volume, '.velero'))).toEqual(['f0e1-22']);
  });

  it("is recognized by the next attempt, and not taken for another restore's, nor through a link", async () => {
    expect(await isMarked(volume, mark)).toBe(false);
    await markVolume(volume, mark, signal);
    expect([await isMarked(volume, mark), await isMarked(volume, { restoreUid: 'other' })]).toEqual([true, false]);
    const other = join(directory, 'other');
    await mkdir(other);
    await symlink(join(volume, '.velero'), join(other, '.velero'));
    expect(await isMarked(other, mark)).toBe(false);
  });

  it('follows no link to another directory', async () => {
    const other = join(directory, 'other');
    await mkdir(other);
    await writeFile(join(other, 'kept'), 'x');
    await symlink(other, join(volume, '.velero'));
    await markVolume(volume, mark, signal);
    expect(await readdir(other)).toEqual(['kept']);
    expect((await lstat(join(volume, '.velero'))).isDirectory()).toBe(true);
  });

  it('reports that the data is restored when the mark cannot be created', async () => {
    await expect(markVolume(join(directory, 'missing'), mark, signal)).rejects.toMatchObject({
      code: 'VOLUME_NOT_MARKED',
      message: expect.stringContaining('the data is restored'),
    });
  });

  it('stops when it is aborted', async () => {
    await expect(markVolume(volume, mark, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
    expect(await readdir(volume)).toEqual([]);
  });
});
