import { describe, expect, it } from 'vitest';
import { ownLimits } from './own-limits.ts';

const nothing = async (): Promise<never> => {
  throw new Error('ENOENT');
};
const given = (
  environment: Record<string, string>,
  files: Record<string, string> = {},
  cacheVolumePath?: string,
): Parameters<typeof ownLimits>[0] => ({
  environment,
  scratchDirectory: '/scratch',
  cacheVolumePath,
  readText: async (path) => files[path] ?? nothing(),
  space: async (path) => (path === '/cachedir' ? { totalBytes: 10, freeBytes: 9 } : { totalBytes: 8, freeBytes: 7 }),
});

describe('the limits of a mover', () => {
  it('are those of its pod', async () => {
    const environment = {
      LATEEN_LIMIT_MEMORY_BYTES: '268435456',
      LATEEN_LIMIT_CPU_MILLIS: '1500',
      LATEEN_LIMIT_EPHEMERAL_STORAGE_BYTES: '1073741824',
    };
    expect(await ownLimits(given(environment, {}, '/cachedir'))).toEqual({
      memoryBytes: 268_435_456,
      cpuMillis: 1500,
      ephemeralBytes: 1_073_741_824,
      cacheVolumeBytes: 10,
      scratchFreeBytes: 7,
    });
  });
  it('are those of its cgroup when these are lower, or when the pod has none', async () => {
    const files = { '/sys/fs/cgroup/memory.max': '1000', '/sys/fs/cgroup/cpu.max': '100000 100000' };
    expect(await ownLimits(given({ LATEEN_LIMIT_MEMORY_BYTES: '2000' }, files))).toMatchObject({
      memoryBytes: 1000,
      cpuMillis: 1000,
    });
    expect((await ownLimits(given({ LATEEN_LIMIT_MEMORY_BYTES: '500' }, files))).memoryBytes).toBe(500);
  });
  it("are limited by its scratch volume, when that is smaller than the pod's limit", async () => {
    const environment = { LATEEN_LIMIT_EPHEMERAL_STORAGE_BYTES: '2000', LATEEN_SCRATCH_BYTES: '1000' };
    expect((await ownLimits(given(environment))).ephemeralBytes).toBe(1000);
    expect((await ownLimits(given({ ...environment, LATEEN_SCRATCH_BYTES: '3000' }))).ephemeralBytes).toBe(2000);
    expect((await ownLimits(given({ LATEEN_SCRATCH_BYTES: '1000' }))).ephemeralBytes).toBe(1000);
  });
  it('do not exist when none is set', async () => {
    const silent = { ...given({ LATEEN_LIMIT_MEMORY_BYTES: 'lots' }), space: nothing };
    expect(Object.values(await ownLimits(silent)).filter((limit) => limit !== undefined)).toEqual([]);
  });
});
