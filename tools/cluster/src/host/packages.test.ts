import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAppError } from '@lateen/errors';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { silentProgress } from '../progress/progress.ts';
import { type DebianPackage, ensurePackages, missingPackages } from './packages.ts';

let folder: string;
let packages: DebianPackage[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lateen-packages-'));
  await writeFile(join(folder, 'tool'), '');
  packages = [
    { name: 'here', files: [join(folder, 'none'), join(folder, 'tool')] },
    { name: 'gone', files: [join(folder, 'none')] },
    { name: 'gone-too', files: [join(folder, 'none-either')] },
  ];
  vi.stubEnv('PATH', `${folder}:/usr/bin:/bin`);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

async function aptGet(script: string): Promise<void> {
  await writeFile(join(folder, 'apt-get'), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, 'apt-get'), 0o755);
}

it('takes a package as installed when any of its files is there', async () => {
  expect(await missingPackages(packages)).toEqual(['gone', 'gone-too']);
});

it('installs only what is missing, after one update', async () => {
  await aptGet(`echo "$@" >> ${folder}/calls`);
  await ensurePackages(packages, silentProgress);
  const calls = (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n');
  expect(calls).toEqual(['update -qq', 'install -y -qq --no-install-recommends gone gone-too']);
});

it('asks nothing of apt-get when nothing is missing', async () => {
  await aptGet('exit 1');
  await ensurePackages(packages.slice(0, 1), silentProgress);
});

it('names the packages and the reason when apt-get fails', async () => {
  await aptGet('echo "E: Unable to locate package gone" >&2; exit 100');
  const failure = await ensurePackages(packages, silentProgress).catch((error: unknown) => error);
  expect(isAppError(failure, 'PACKAGES_MISSING') && failure.message).toContain('gone, gone-too, and apt-get failed');
  expect(String((failure as Error).cause)).toContain('Unable to locate package gone');
});

it('names the packages when there is no apt-get', async () => {
  vi.stubEnv('PATH', join(folder, 'empty'));
  const failure = await ensurePackages(packages, silentProgress).catch((error: unknown) => error);
  expect(isAppError(failure, 'PACKAGES_MISSING') && failure.message).toContain('there is no apt-get here');
});
