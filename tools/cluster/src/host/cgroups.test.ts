import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeEmptyCgroups } from './cgroups.ts';

/** Plain folders: one with a file stands for a cgroup with processes. */
let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'lateen-cgroups-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

it('removes the cgroups of former containers, lowest first', async () => {
  const machine = join(root, 'machine');
  for (const pod of ['pod-1/container', 'pod-2'])
    await mkdir(join(machine, 'kubepods', 'besteffort', pod), { recursive: true });
  expect(await removeEmptyCgroups(machine)).toEqual([]);
  expect(await readdir(root)).toEqual([]);
  expect(await removeEmptyCgroups(machine)).toEqual([]);
});

it('keeps those with processes, and their parents', async () => {
  const [empty, used] = [join(root, 'kubepods', 'empty'), join(root, 'kubepods', 'used')];
  await mkdir(empty, { recursive: true });
  await mkdir(used, { recursive: true });
  await writeFile(join(used, 'process'), '');
  expect(await removeEmptyCgroups(join(root, 'kubepods'))).toEqual([used]);
  expect(await readdir(join(root, 'kubepods'))).toEqual(['used']);
});
