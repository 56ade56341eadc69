import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { credentialFilesIn } from './credential-files.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-credentials-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

it('each use has its own file, readable only by its owner, which is deleted with its directory', async () => {
  const files = credentialFilesIn(join(directory, 'secrets'));
  const [one, two] = await Promise.all([files.put('one'), files.put('two')]);
  expect([await readFile(one.path, 'utf8'), await readFile(two.path, 'utf8')]).toEqual(['one', 'two']);
  expect((await stat(one.path)).mode & 0o777).toBe(0o600);
  expect((await stat(join(directory, 'secrets'))).mode & 0o777).toBe(0o700);
  await one.remove();
  await one.remove();
  expect(await readFile(two.path, 'utf8')).toBe('two');
  await two.remove();
  expect(await readdir(join(directory, 'secrets'))).toEqual([]);
});
