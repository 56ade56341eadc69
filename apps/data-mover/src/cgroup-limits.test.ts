import { describe, expect, it } from 'vitest';
import { cgroupLimits } from './cgroup-limits.ts';

const unlimited = '9223372036854771712\n';

describe('the limits of a container', () => {
  it.each([
    ['no files', {}, {}],
    ['v2 without limits', { memoryV2: 'max\n', cpuV2: 'max 100000\n' }, {}],
    ['v2', { memoryV2: '268435456\n', cpuV2: '150000 100000\n' }, { memoryBytes: 268_435_456, cpuMillis: 1500 }],
    [
      'v1 without limits',
      {
        memoryV1: unlimited,
        memoryStatV1: `cache 1\nhierarchical_memory_limit ${unlimited}`,
        cpuQuotaV1: '-1\n',
        cpuPeriodV1: '100000\n',
      },
      {},
    ],
    [
      'v1',
      { memoryV1: '536870912\n', cpuQuotaV1: '50000\n', cpuPeriodV1: '100000\n' },
      { memoryBytes: 536_870_912, cpuMillis: 500 },
    ],
    [
      'v1 with a limit of the pod only',
      { memoryV1: unlimited, memoryStatV1: 'rss 5\nhierarchical_memory_limit 1000000\ntotal_cache 3\n' },
      { memoryBytes: 1_000_000 },
    ],
    ['garbage', { memoryV2: 'lots', cpuV2: '' }, {}],
  ])('%s', (_, texts, limits) => {
    expect(cgroupLimits(texts)).toEqual({ memoryBytes: undefined, cpuMillis: undefined, ...limits });
  });
});
