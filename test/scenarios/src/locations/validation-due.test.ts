import { type BackupStorageLocation, backupStorageLocationType } from '@lateen/api-types';
import { aBackupStorageLocation } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { aLocation, cloudSecret, type LocationWorld, locationWorld, namespace } from './location-world.ts';

const timesOf = (world: LocationWorld, name = 'default') =>
  world.validations.filter(({ location }) => location === name).map(({ atMs }) => atMs);

/** Time between validations, without the first: until then the location has not got its place in the period. */
const gapsOf = (world: LocationWorld, name = 'default') => {
  const times = timesOf(world, name).slice(1);
  return times.slice(1).map((time, index) => time - (times[index] ?? 0));
};

const validated = (spec: Partial<BackupStorageLocation['spec']>, phase: 'Available' | 'Unavailable' = 'Available') =>
  aBackupStorageLocation({ phase, spec, status: { lastValidationTime: '2029-12-31T23:59:00Z' } });

describe('a location is validated', () => {
  it('immediately when it is new, and then every minute', async () => {
    const world = locationWorld(cloudSecret(), aLocation());
    await world.start();
    expect(timesOf(world)).toEqual([0]);
    expect(world.status()).toEqual({ phase: 'Available', message: '', lastValidationTime: '2030-01-01T00:00:00Z' });
    await world.clock.advance(600_000);
    expect(gapsOf(world).length).toBeGreaterThanOrEqual(8);
    expect(new Set(gapsOf(world))).toEqual(new Set([60_000]));
  });

  it('at the frequency of its spec', async () => {
    const world = locationWorld(cloudSecret(), aLocation('default', { validationFrequency: '10s' }));
    await world.start();
    await world.clock.advance(100_000);
    expect(gapsOf(world).length).toBeGreaterThanOrEqual(8);
    expect(new Set(gapsOf(world))).toEqual(new Set([10_000]));
  });

  it('at the frequency of the server when its spec has none', async () => {
    const world = locationWorld(cloudSecret(), aLocation(), aLocation('own', { validationFrequency: '20s' }));
    await world.start({ validationFrequencyMs: 300_000 });
    await world.clock.advance(1_500_000);
    expect(new Set(gapsOf(world))).toEqual(new Set([300_000]));
    expect(new Set(gapsOf(world, 'own'))).toEqual(new Set([20_000]));
  });

  it.each([
    ['the location', '0s', 60_000],
    ['the server', undefined, 0],
  ])('never again when the frequency of %s is zero, but once when it is new', async (_, text, serverMs) => {
    const world = locationWorld(cloudSecret(), aLocation('default', text ? { validationFrequency: text } : {}));
    await world.start({ validationFrequencyMs: serverMs });
    await world.clock.advance(7_200_000);
    expect(timesOf(world)).toEqual([0]);
  });

  it('never when its frequency is zero and another process validated it', async () => {
    const world = locationWorld(cloudSecret(), validated({ validationFrequency: '0s' }));
    await world.start();
    await world.clock.advance(7_200_000);
    expect(timesOf(world)).toEqual([]);
  });

  it('once with frequency zero when it is unavailable: the cause may be gone', async () => {
    const world = locationWorld(cloudSecret(), validated({ validationFrequency: '0s' }, 'Unavailable'));
    await world.start();
    await world.clock.advance(15_000);
    expect(world.status()?.phase).toBe('Available');
    await world.clock.advance(7_200_000);
    expect(timesOf(world)).toHaveLength(1);
  });

  it.each(['24h', '1m0s'])(
    'within a minute when another process validated it every %s',
    async (validationFrequency) => {
      const world = locationWorld(cloudSecret(), validated({ validationFrequency }));
      await world.start();
      expect(timesOf(world)).toEqual([]);
      await world.clock.advance(60_000);
      expect(timesOf(world)).toHaveLength(1);
    },
  );

  it.each([
    ['-5m0s', 'spec.validationFrequency "-5m0s" is negative: the location is validated every minute'],
    ['-1ns', 'spec.validationFrequency "-1ns" is negative: the location is validated every minute'],
    ['soon', 'spec.validationFrequency "soon" is not a duration: the location is validated every minute'],
    [
      'x'.repeat(100_000),
      `spec.validationFrequency "${'x'.repeat(40)}…" is not a duration: the location is validated every minute`,
    ],
  ])('every minute with frequency %.20s, with one warning', async (validationFrequency, warning) => {
    const world = locationWorld(cloudSecret(), aLocation('default', { validationFrequency }));
    await world.start({ validationFrequencyMs: 300_000 });
    await world.clock.advance(600_000);
    expect(new Set(gapsOf(world))).toEqual(new Set([60_000]));
    expect(world.log.messages('warn').filter((line) => line === warning)).toHaveLength(1);
    expect(world.events().filter((event) => event.includes('Frequency'))).toEqual([
      `ValidationFrequencyInvalid: ${warning}`,
    ]);
    expect(world.location()?.spec.validationFrequency).toBe(validationFrequency);
  });

  it('at the new frequency when that changes, without an additional validation', async () => {
    const world = locationWorld(cloudSecret(), aLocation('default', { validationFrequency: '24h' }));
    await world.start();
    await world.clock.advance(60_000);
    const before = timesOf(world).length;
    world.cluster.change(backupStorageLocationType, { namespace, name: 'default' }, ({ spec }) => {
      spec.validationFrequency = '0s';
    });
    await world.clock.advance(7_200_000);
    expect(timesOf(world)).toHaveLength(before);
  });

  it('again immediately when its status was removed, or ten seconds later', async () => {
    const world = locationWorld(cloudSecret(), aLocation());
    await world.start();
    await world.clock.advance(90_000);
    const takeAway = () =>
      world.cluster.change(backupStorageLocationType, { namespace, name: 'default' }, (location) => {
        delete location.status;
      });
    // So soon after a validation the cause may be a cache that is late.
    const count = timesOf(world).length;
    await world.clock.advanceUntil(() => timesOf(world).length > count);
    await world.cluster.settle();
    takeAway();
    await world.cluster.settle();
    expect(world.status()).toBeUndefined();
    await world.clock.advance(10_000);
    expect(world.status()?.phase).toBe('Available');
    await world.clock.advance(10_000);
    takeAway();
    await world.cluster.settle();
    expect(world.status()?.phase).toBe('Available');
    expect(timesOf(world)).toHaveLength(count + 3);
  });

  it('again soon when it is unavailable, however rarely its spec asks', async () => {
    const world = locationWorld(cloudSecret(), aLocation('default', { validationFrequency: '24h' }));
    world.answers.set('default', new Error('no'));
    await world.start();
    await world.clock.advance(120_000);
    expect(new Set(gapsOf(world))).toEqual(new Set([15_000]));
    world.answers.delete('default');
    await world.clock.advance(15_000);
    expect(world.status()?.phase).toBe('Available');
  });

  it('again when the API server was not reachable, which does not make it unavailable', async () => {
    const world = locationWorld(cloudSecret(), aLocation());
    world.cluster.failTimes(3, 'get', ({ type }) => type.resource === 'secrets', 'KUBE_UNAVAILABLE');
    await world.start({ defaultLocation: '' });
    expect(world.status()).toBeUndefined();
    await world.clock.advance(60_000);
    expect(world.status()?.phase).toBe('Available');
    expect(world.events()).toEqual(['Available: the location can be used']);
  });

  it('with two API calls: its Secret and its status', async () => {
    const world = locationWorld(cloudSecret(), aLocation());
    await world.start({ defaultLocation: '' });
    expect(world.calls()).toEqual(['get secrets', 'patch backupstoragelocations']);
  });
});
