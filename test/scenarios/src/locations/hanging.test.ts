import { backupStorageLocationType } from '@lateen/api-types';
import { locationWorkers, promptAnswerMs, validationTimeoutMs } from '@lateen/locations';
import { describe, expect, it } from 'vitest';
import { aLocation, cloudSecret, locationWorld, namespace } from './location-world.ts';

const named = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('a location that hangs', () => {
  it('becomes unavailable after the whole timeout, and says so', async () => {
    const world = locationWorld(cloudSecret(), aLocation());
    world.answers.set('default', 'hang');
    await world.start();
    await world.clock.advance(promptAnswerMs + validationTimeoutMs);
    expect(world.status()?.message).toBe(
      'BackupStorageLocation "default" is unavailable: no answer within 30s from bucket "backups" at s3.test:9000. ' +
        'Check the address in spec.config, the DNS of the cluster, and the network between it and the object store.',
    );
    expect(world.open).toBe(0);
  });

  it('is available when it answers slowly, and is first tried with the long timeout next time', async () => {
    const world = locationWorld(cloudSecret(), aLocation());
    world.answers.set('default', 'hang');
    await world.start();
    await world.clock.advance(promptAnswerMs);
    expect(world.readings().slow).toBe(1);
    world.answers.delete('default');
    await world.clock.advance(validationTimeoutMs + 20_000);
    expect(world.status()?.phase).toBe('Available');
    expect(world.readings().slow).toBe(0);
  });

  it.each([1, 40, 300])('delays no other, also when %i hang', async (count) => {
    const hanging = named('hang-', count);
    const world = locationWorld(cloudSecret(), ...hanging.map((name) => aLocation(name)), aLocation('the-good-one'));
    for (const name of hanging) world.answers.set(name, 'hang');
    await world.start();
    // Locations that hang for the first time take 2 s each, 64 at a time; after that they no longer share workers with the others.
    await world.clock.advance(Math.ceil(count / locationWorkers.prompt) * promptAnswerMs);
    expect(world.status('the-good-one')?.phase).toBe('Available');
    expect(world.readings().slow).toBe(count);
    const times = () => world.validations.filter(({ location }) => location === 'the-good-one').map(({ atMs }) => atMs);
    const first = times().length;
    await world.clock.advance(600_000);
    const later = times().slice(first);
    const gaps = later.slice(1).map((time, index) => time - (later[index] ?? 0));
    expect(gaps.length).toBeGreaterThanOrEqual(8);
    expect(new Set(gaps)).toEqual(new Set([60_000]));
    expect(world.status('hang-0')?.phase).toBe('Unavailable');
  });

  it('delays neither a new location nor a change of another', async () => {
    const hanging = named('hang-', 100);
    const world = locationWorld(cloudSecret(), ...hanging.map((name) => aLocation(name)), aLocation('the-good-one'));
    for (const name of hanging) world.answers.set(name, 'hang');
    await world.start();
    await world.clock.advance(60_000);
    world.cluster.put(aLocation('new'));
    world.cluster.change(backupStorageLocationType, { namespace, name: 'the-good-one' }, ({ spec }) => {
      spec.objectStorage.bucket = 'elsewhere';
    });
    await world.cluster.settle();
    expect(world.status('new')?.phase).toBe('Available');
    expect(world.validations.at(-1)?.bucket ?? '').toMatch(/elsewhere|backups/);
    expect(world.validations.some(({ bucket }) => bucket === 'elsewhere')).toBe(true);
  });

  it('is tried immediately when its spec is corrected during a try', async () => {
    const world = locationWorld(cloudSecret(), aLocation());
    world.answers.set('default', 'hang, deaf to the signal');
    await world.start();
    await world.clock.advance(promptAnswerMs + 5_000);
    world.answers.delete('default');
    world.cluster.change(backupStorageLocationType, { namespace, name: 'default' }, ({ spec }) => {
      spec.config = { region: 'us-east-1', s3Url: 'http://right.test' };
    });
    await world.cluster.settle();
    expect(world.status()?.phase).toBe('Available');
  });

  it('costs one attempt that does not end, however often it is due', async () => {
    const world = locationWorld(cloudSecret(), aLocation());
    world.answers.set('default', 'hang, deaf to the signal');
    await world.start();
    await world.clock.advance(3_600_000);
    expect(world.readings().attempts).toBe(1);
    expect(world.validations).toHaveLength(1);
    expect(world.status()?.message).toMatch(/no answer within 30s/);
  });

  it('does not delay the end of the process', async () => {
    const world = locationWorld(cloudSecret(), aLocation());
    world.answers.set('default', 'hang, deaf to the signal');
    await world.start();
    await world.clock.advance(promptAnswerMs + 1_000);
    await world.stop();
    expect(world.cluster.openWatches).toBe(0);
  });

  it('is forgotten when it is deleted', async () => {
    const world = locationWorld(cloudSecret(), aLocation());
    world.answers.set('default', 'hang');
    await world.start();
    await world.clock.advance(promptAnswerMs + 1_000);
    world.cluster.remove(backupStorageLocationType, { namespace, name: 'default' });
    await world.clock.advance(60_000);
    expect(world.readings()).toMatchObject({ slow: 0, attempts: 0, secrets: 0 });
    expect(world.location()).toBeUndefined();
  });
});
