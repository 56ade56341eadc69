import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentProgress } from '@lateen/cluster';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeRelease } from './make-release.ts';

let parent = '';
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'lateen-release-'));
});
afterEach(() => rm(parent, { recursive: true, force: true }));

const make = (version: string) =>
  makeRelease({ version, repository: 'localhost/lateen', folder: parent, progress: silentProgress });

it.each(['v1.2.3', '1.2', '01.2.3', '1.2.3+build', '../1.2.3', ''])('rejects %j as a version', async (version) => {
  await expect(make(version)).rejects.toMatchObject({ code: 'RELEASE_VERSION_INVALID' });
});

it('rejects a folder with files in it, and keeps the files', async () => {
  await writeFile(join(parent, 'of-another-release'), '');
  await expect(make('1.2.3')).rejects.toMatchObject({ code: 'RELEASE_FOLDER_NOT_EMPTY' });
  expect(await readdir(parent)).toEqual(['of-another-release']);
});
