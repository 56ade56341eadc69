import type { RecentMaintenance } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { statusWithRuns, timeMs } from './status-with-runs.ts';

const run = (result: 'Succeeded' | 'Failed', hour: number): RecentMaintenance => ({
  result,
  startTimestamp: `2030-01-01T0${hour}:00:00Z`,
  completeTimestamp: `2030-01-01T0${hour}:10:00Z`,
});

describe('the status with new runs', () => {
  it('lists them after earlier runs, and has the end of the last successful run', () => {
    const status = { recentMaintenance: [run('Succeeded', 1)], lastMaintenanceTime: '2030-01-01T01:10:00Z' };
    expect(statusWithRuns(status, [run('Failed', 4), run('Succeeded', 3)])).toEqual({
      recentMaintenance: [run('Succeeded', 1), run('Succeeded', 3), run('Failed', 4)],
      lastMaintenanceTime: '2030-01-01T03:10:00Z',
    });
  });

  it('never moves the time backwards', () => {
    const status = { lastMaintenanceTime: '2030-01-01T05:00:00Z' };
    expect(statusWithRuns(status, [run('Succeeded', 3)]).lastMaintenanceTime).toBe('2030-01-01T05:00:00Z');
  });

  it('has no time before the first success', () => {
    expect(statusWithRuns(undefined, [run('Failed', 3)])).toEqual({ recentMaintenance: [run('Failed', 3)] });
    expect(statusWithRuns({ lastMaintenanceTime: null }, [])).toEqual({ recentMaintenance: [] });
    expect(timeMs(null)).toBeLessThan(timeMs('1970-01-01T00:00:00Z'));
  });
});
