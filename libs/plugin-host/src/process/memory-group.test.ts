import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { memoryGroup } from './memory-group.ts';

const MiB = 1024 * 1024;

it.each([
  ['version 2', '0::/pod/container\n', 'sys/fs/cgroup/pod/container'],
  ['version 1', '5:cpu:/x\n4:memory:/pod\n', 'sys/fs/cgroup/memory/pod'],
])('there is none, and nothing is left, where a group of %s gets no memory controller', async (_, groups, folder) => {
  const root = await mkdtemp(join(tmpdir(), 'lateen-memory-group-'));
  try {
    await mkdir(join(root, 'proc/self'), { recursive: true });
    await writeFile(join(root, 'proc/self/cgroup'), groups);
    // As in a system that makes no memory.max in a new group.
    await mkdir(join(root, folder), { recursive: true });
    expect(await memoryGroup(1, MiB, root)).toBeUndefined();
    expect(await readdir(join(root, folder))).toEqual([]);
  } finally {
    await rm(root, { recursive: true });
  }
});

it('there is none where there are no control groups', async () => {
  expect(await memoryGroup(1, MiB, '/no/such/root')).toBeUndefined();
});
