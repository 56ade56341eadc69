import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { memoryGroup } from './memory-group.ts';

const MiB = 1024 * 1024;

it.each([
  ['version 2', '0::/pod/container\n', 'sys/fs/cgroup/pod/container'],
  ['version 1', '5:cpu:/x\n4:memory:/pod\n', 'sys/fs/cgroup/memory/pod'],
])('creates no group, and leaves nothing, when cgroup %s has no memory controller', async (_, groups, folder) => {
  const root = await mkdtemp(join(tmpdir(), 'lateen-memory-group-'));
  try {
    await mkdir(join(root, 'proc/self'), { recursive: true });
    await writeFile(join(root, 'proc/self/cgroup'), groups);
    // Simulates a system that creates no memory.max in a new group.
    await mkdir(join(root, folder), { recursive: true });
    expect(await memoryGroup(1, MiB, root)).toBeUndefined();
    expect(await readdir(join(root, folder))).toEqual([]);
  } finally {
    await rm(root, { recursive: true });
  }
});

it('creates no group on a system without cgroups', async () => {
  expect(await memoryGroup(1, MiB, '/no/such/root')).toBeUndefined();
});
