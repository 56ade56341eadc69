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

describe('what a mover may use', () => {
  it('is what its pod says', async () => {
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
  it('is what its cgroup says when that is less, or when the pod says nothing', async () => {
    const files = { '/sys/fs/cgroup/memory.max': '1000', '/sys/fs/cgroup/cpu.max': '100000 100000' };
    expect(await ownLimits(given({ LATEEN_LIMIT_MEMORY_BYTES: '2000' }, files))).toMatchObject({
      memoryBytes: 1000,
      cpuMillis: 1000,
    });
    expect((await ownLimits(given({ LATEEN_LIMIT_MEMORY_BYTES: '500' }, files))).memoryBytes).toBe(500);
  });
  it('is what its scratch volume may hold, when that is less than what the pod may', async () => {
    const environment = { LATEEN_LIMIT_EPHEMERAL_STORAGE_BYTES: '2000', LATEEN_SCRATCH_BYTES: '1000' };
    expect((await ownLimits(given(environment))).ephemeralBytes).toBe(1000);
    expect((await ownLimits(given({ ...environment, LATEEN_SCRATCH_BYTES: '3000' }))).ephemeralBytes).toBe(2000);
    expect((await ownLimits(given({ LATEEN_SCRATCH_BYTES: '1000' }))).ephemeralBytes).toBe(1000);
  });
  it('is not limited where nobody says so', async () => {
    const silent = { ...given({ LATEEN_LIMIT_MEMORY_BYTES: 'lots' }), space: nothing };
    expect(Object.values(await ownLimits(silent)).filter((limit) => limit !== undefined)).toEqual([]);
  });
});
