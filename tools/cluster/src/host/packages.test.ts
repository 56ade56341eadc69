import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
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

it('regards a package as installed when any of its files exists', async () => {
  expect(await missingPackages(packages)).toEqual(['gone', 'gone-too']);
});

it('installs only missing packages, after one update', async () => {
  await aptGet(`echo "$@" >> ${folder}/calls`);
  await ensurePackages(packages, silentProgress);
  const calls = (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n');
  expect(calls).toEqual(['update -qq', 'install -y -qq --no-install-recommends gone gone-too']);
});

it('does not run apt-get when nothing is missing', async () => {
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
  // A package of every Debian, which also provides the lock.
  const programs = join(folder, 'programs');
  await mkdir(programs);
  for (const name of ['sh', 'flock', 'cat']) await symlink(`/usr/bin/${name}`, join(programs, name));
  vi.stubEnv('PATH', programs);
  const failure = await ensurePackages(packages, silentProgress).catch((error: unknown) => error);
  expect(isAppError(failure, 'PACKAGES_MISSING') && failure.message).toContain('there is no apt-get here');
});

it('waits for another process to finish, and then finds its packages', async () => {
  const file = join(folder, 'installed');
  await aptGet(`echo "$@" >> ${folder}/calls; case "$1" in install) sleep 0.2; touch ${file};; esac`);
  const wanted = [{ name: 'gone', files: [file] }];
  await Promise.all([ensurePackages(wanted, silentProgress), ensurePackages(wanted, silentProgress)]);
  const calls = (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n');
  expect(calls).toEqual(['update -qq', 'install -y -qq --no-install-recommends gone']);
});
