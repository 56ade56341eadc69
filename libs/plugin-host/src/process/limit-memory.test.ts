import { silentLogger } from '@lateen/kernel';
import { FakeClock } from '@lateen/testing';
import { expect, it } from 'vitest';
import { limitMemory } from './limit-memory.ts';
import type { MemoryGroup } from './memory-group.ts';

const MiB = 1024 * 1024;
const checkMs = 1_000;

function limited(bytesMax: number, group: MemoryGroup | undefined) {
  const clock = new FakeClock();
  const killed = Promise.withResolvers<void>();
  let kills = 0;
  const kill = () => {
    kills += 1;
    killed.resolve();
  };
  // The test measures this process, which uses some memory like every Node process.
  const limit = limitMemory(process.pid, bytesMax, { clock, log: silentLogger, checkMs, kill }, async () => group);
  return { clock, limit, killed: killed.promise, kills: () => kills };
}

it('ends a process above its limit where no cgroup can be created, and reports its memory use', async () => {
  const { limit, killed } = limited(1 * MiB, undefined);
  await killed;
  expect(await limit.end()).toMatch(/^it used [\d.]+ [MG]iB of memory, and its limit is 1 MiB$/);
});

it('leaves a process below its limit alone, however often it is measured', async () => {
  const { clock, limit, kills } = limited(1024 * 1024 * MiB, undefined);
  for (let times = 0; times < 3; times++)
    await expect
      .poll(() => clock.nextDueInMs)
      .toBe(checkMs)
      .then(() => clock.advance(checkMs));
  expect(kills()).toBe(0);
  expect(await limit.end()).toBeUndefined();
});

it.each([
  [true, 'it needed more memory than its limit of 1 MiB'],
  [false, undefined],
])('asks the cgroup at the end whether it has killed the process (%s), and removes it', async (outOfMemory, said) => {
  let removed = 0;
  const remove = async () => {
    removed += 1;
  };
  const { limit, kills } = limited(1 * MiB, { outOfMemory: async () => outOfMemory, remove });
  expect(await limit.end()).toBe(said);
  expect([removed, kills()]).toEqual([1, 0]);
});
