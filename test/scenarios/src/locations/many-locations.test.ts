import { aBackupStorageLocation } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { aLocation, cloudSecret, type LocationWorld, locationWorld } from './location-world.ts';

const count = 1_000;
const names = Array.from({ length: count }, (_, index) => `location-${index}`);

/** Number of validations in each tenth of the given minute. */
function tenths(world: LocationWorld, fromMs: number): number[] {
  const bins = Array.from({ length: 10 }, () => 0);
  for (const { atMs } of world.validations) {
    const bin = Math.floor((atMs - fromMs) / 6_000);
    if (bin >= 0 && bin < bins.length) bins[bin] = (bins[bin] ?? 0) + 1;
  }
  return bins;
}

describe('a thousand locations', { timeout: 120_000 }, () => {
  it('are validated immediately when created together, and from then on spread over the period', async () => {
    const world = locationWorld(cloudSecret(), ...names.map((name) => aLocation(name)));
    await world.start({ defaultLocation: '' });
    expect(world.validations).toHaveLength(count);
    expect(world.calls().filter((call) => call !== 'get secrets')).toHaveLength(count);
    await world.clock.advance(65_000);
    expectSpread(tenths(world, 5_000));
  });

  it('are spread over the first minute when a new process finds them, and cost two calls each per validation', async () => {
    const status = { lastValidationTime: '2029-12-31T00:00:00Z' };
    const world = locationWorld(cloudSecret(), ...names.map((name) => aBackupStorageLocation({ name, status })));
    await world.start({ defaultLocation: '' });
    expect(world.validations).toEqual([]);
    await world.clock.advance(60_000);
    expectSpread(tenths(world, 0));
    const calls = world.calls();
    expect(calls.filter((call) => call === 'patch backupstoragelocations')).toHaveLength(count);
    // And one read per round of the Secret that all of them share.
    expect(calls.filter((call) => call === 'get secrets').length).toBeLessThanOrEqual(count + 16);
    expect(calls.length).toBeLessThanOrEqual(2 * count + 16);
  });
});

/** 100 each on average; without spreading there would be 1,000 in one of them. */
function expectSpread(bins: readonly number[]): void {
  expect(bins.reduce((sum, each) => sum + each, 0)).toBe(count);
  expect(Math.min(...bins)).toBeGreaterThan(50);
  expect(Math.max(...bins)).toBeLessThan(150);
}
