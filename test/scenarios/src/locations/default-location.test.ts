import { type BackupStorageLocation, backupStorageLocationType } from '@lateen/api-types';
import { defaultQuietMs } from '@lateen/locations';
import { aBackupStorageLocation } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { cloudSecret, type LocationWorld, locationWorld, namespace } from './location-world.ts';

/** A valid location that was created at this second of 2029. */
const made = (name: string, second: number, isDefault?: boolean): BackupStorageLocation => {
  const creationTimestamp = `2029-01-01T00:00:${String(second).padStart(2, '0')}Z`;
  const location = aBackupStorageLocation({
    name,
    spec: isDefault === undefined ? {} : { default: isDefault },
    status: { lastValidationTime: '2029-12-31T23:59:59Z' },
  });
  return { ...location, metadata: { ...location.metadata, creationTimestamp } };
};

const defaults = ({ cluster }: LocationWorld): string[] =>
  cluster
    .all(backupStorageLocationType, namespace)
    .flatMap(({ metadata, spec }) => (spec.default ? [metadata.name ?? ''] : []));

const mark = ({ cluster }: LocationWorld, name: string, to: boolean) =>
  cluster.change(backupStorageLocationType, { namespace, name }, ({ spec }) => {
    spec.default = to;
  });

const writesOf = ({ cluster }: LocationWorld) =>
  cluster.calls.filter(({ verb, body }) => verb === 'patch' && JSON.stringify(body).includes('"default"'));

describe('the default location', () => {
  it('is the one named by the server flag when none is marked, and an Event says so', async () => {
    const world = locationWorld(cloudSecret(), made('default', 1), made('other', 2));
    await world.start();
    await world.clock.advance(defaultQuietMs);
    expect(defaults(world)).toEqual(['default']);
    expect(world.events()).toContain(
      'DefaultSet: this is the default location now: no location was marked as the default; the server names this one',
    );
  });

  it('follows the flag', async () => {
    const world = locationWorld(cloudSecret(), made('default', 1), made('other', 2));
    await world.start({ defaultLocation: 'other' });
    await world.clock.advance(defaultQuietMs);
    expect(defaults(world)).toEqual(['other']);
  });

  it.each(['nowhere', ''])('does not exist when the flag is %j', async (defaultLocation) => {
    const world = locationWorld(cloudSecret(), made('default', 1));
    await world.start({ defaultLocation });
    await world.clock.advance(600_000);
    expect([defaults(world), writesOf(world)]).toEqual([[], []]);
  });

  it('is marked when the location that the flag names is created later', async () => {
    const world = locationWorld(cloudSecret(), made('other', 1));
    await world.start();
    await world.clock.advance(60_000);
    expect(defaults(world)).toEqual([]);
    world.cluster.put(made('default', 2));
    await world.clock.advance(defaultQuietMs);
    expect(defaults(world)).toEqual(['default']);
  });

  it('is the most recently created one when several are marked', async () => {
    const world = locationWorld(cloudSecret(), made('a', 1, true), made('b', 3, true), made('c', 2, true));
    await world.start();
    await world.clock.advance(defaultQuietMs);
    expect(defaults(world)).toEqual(['b']);
    expect(world.events('a')).toContain(
      'DefaultUnset: this is not the default location any more: only one location can be the default, and "b" was made last',
    );
    expect(world.log.messages('warn')).toContain('this is not the default location any more');
  });

  it('is the first by name when two were created in the same second', async () => {
    const world = locationWorld(cloudSecret(), made('b', 1, true), made('a', 1, true));
    await world.start();
    await world.clock.advance(defaultQuietMs);
    expect(defaults(world)).toEqual(['a']);
  });

  it('is not changed when exactly one is marked, whatever the flag says', async () => {
    const world = locationWorld(cloudSecret(), made('default', 1), made('other', 2, true));
    await world.start();
    await world.clock.advance(600_000);
    expect([defaults(world), writesOf(world)]).toEqual([['other'], []]);
  });

  it('can be moved with two writes, in either order; the controller does not interfere between them', async () => {
    const world = locationWorld(cloudSecret(), made('default', 2, true), made('other', 1));
    await world.start();
    mark(world, 'other', true);
    await world.clock.advance(defaultQuietMs - 1_000);
    mark(world, 'default', false);
    await world.clock.advance(60_000);
    expect(defaults(world)).toEqual(['other']);
    mark(world, 'other', false);
    await world.clock.advance(defaultQuietMs - 1_000);
    mark(world, 'default', true);
    await world.clock.advance(60_000);
    expect([defaults(world), writesOf(world)]).toEqual([['default'], []]);
  });

  it('is unique again after two commands have each marked one', async () => {
    const world = locationWorld(cloudSecret(), made('default', 1, true), made('a', 2), made('b', 3));
    await world.start();
    mark(world, 'a', true);
    mark(world, 'b', true);
    mark(world, 'default', false);
    await world.clock.advance(2 * defaultQuietMs);
    expect(defaults(world)).toEqual(['b']);
  });

  it('does not overwrite a concurrent write of another client', async () => {
    const world = locationWorld(cloudSecret(), made('default', 1), made('other', 2));
    await world.start();
    let raced = false;
    world.cluster.intercept(async (call, next) => {
      if (!raced && call.verb === 'patch' && JSON.stringify(call.body).includes('"default"')) {
        raced = true;
        world.cluster.change(backupStorageLocationType, { namespace, name: 'default' }, ({ metadata }) => {
          metadata.labels = { touched: 'true' };
        });
        mark(world, 'other', true);
      }
      return next();
    });
    await world.clock.advance(60_000);
    expect(raced).toBe(true);
    expect(defaults(world)).toEqual(['other']);
    expect(world.location()?.metadata.labels).toEqual({ touched: 'true' });
  });

  it('is not a location that is being deleted', async () => {
    const going = made('default', 2, true);
    going.metadata = { ...going.metadata, finalizers: ['x/y'], deletionTimestamp: '2029-01-02T00:00:00Z' };
    const world = locationWorld(cloudSecret(), going, made('other', 1, true));
    await world.start();
    await world.clock.advance(60_000);
    expect(writesOf(world)).toEqual([]);
  });

  it('is chosen without a validation', async () => {
    const world = locationWorld(cloudSecret(), made('default', 1));
    await world.start({ validationFrequencyMs: 0 });
    await world.clock.advance(600_000);
    expect([defaults(world), world.validations]).toEqual([['default'], []]);
  });
});
