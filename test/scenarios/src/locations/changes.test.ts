import { annotations, type BackupStorageLocation, backupStorageLocationType, secretType } from '@lateen/api-types';
import { aSecret } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import {
  aLocation,
  cloudSecret,
  goodKeys,
  type LocationWorld,
  locationWorld,
  namespace,
  secretValue,
} from './location-world.ts';

/** A changed Secret is noticed within this time. */
const noticedMs = 5_000;

const edit = ({ cluster }: LocationWorld, change: (location: BackupStorageLocation) => void, name = 'default') =>
  cluster.change(backupStorageLocationType, { namespace, name }, change);

/** Validated rarely, so that only a change explains a validation. */
const seldom = { validationFrequency: '24h' };
const noKeys = '[default]\n';

describe('a change of the spec', () => {
  it.each<[string, (location: BackupStorageLocation) => void]>([
    ['the bucket', ({ spec }) => (spec.objectStorage.bucket = 'other')],
    ['the prefix', ({ spec }) => (spec.objectStorage.prefix = 'other')],
    ['the address', ({ spec }) => (spec.config = { region: 'us-east-1', s3Url: 'http://other.test' })],
    ['the Secret', ({ spec }) => (spec.credential = { name: 'other', key: 'cloud' })],
    ['the access mode', ({ spec }) => (spec.accessMode = 'ReadOnly')],
    ['the upload rate', ({ metadata }) => (metadata.annotations = { [annotations.uploadBytesPerSecond]: '1Mi' })],
    ['the download rate', ({ metadata }) => (metadata.annotations = { [annotations.downloadBytesPerSecond]: '1Mi' })],
  ])('in %s causes a validation immediately', async (_, change) => {
    const world = locationWorld(cloudSecret(), cloudSecret(goodKeys, 'other'), aLocation('default', seldom));
    await world.start();
    const before = world.validations.length;
    edit(world, change);
    await world.cluster.settle();
    expect(world.validations).toHaveLength(before + 1);
  });

  it('to a wrong value makes the location unavailable, and the change back makes it available', async () => {
    const world = locationWorld(cloudSecret(), aLocation('default', seldom));
    await world.start();
    edit(world, ({ spec }) => (spec.objectStorage.bucket = 'a/b'));
    await world.cluster.settle();
    expect(world.status()?.phase).toBe('Unavailable');
    edit(world, ({ spec }) => (spec.objectStorage.bucket = 'a'));
    await world.cluster.settle();
    expect(world.status()).toMatchObject({ phase: 'Available', message: '' });
    expect(world.events().sort()).toEqual([
      'Available: the location can be used',
      expect.stringMatching(/^Unavailable: BackupStorageLocation "default" is unavailable: .*must not contain a '\/'/),
    ]);
  });

  it('is detected when a location was deleted and created again with the same name', async () => {
    const world = locationWorld(cloudSecret(), aLocation('default', seldom));
    await world.start();
    world.cluster.remove(backupStorageLocationType, { namespace, name: 'default' });
    await world.cluster.create(backupStorageLocationType, aLocation('default', seldom));
    await world.cluster.settle();
    expect(world.status()?.phase).toBe('Available');
  });
});

describe('a change of the annotations', () => {
  it('that sets rates makes the location unavailable when they are invalid, and available when they are valid', async () => {
    const world = locationWorld(cloudSecret(), aLocation('default', seldom));
    await world.start();
    edit(world, ({ metadata }) => (metadata.annotations = { [annotations.uploadBytesPerSecond]: 'fast' }));
    await world.cluster.settle();
    expect(world.status()?.message).toContain('annotation lateen.dev/upload-bytes-per-second "fast" is not a quantity');
    edit(world, ({ metadata }) => (metadata.annotations = { [annotations.uploadBytesPerSecond]: '10Mi' }));
    await world.cluster.settle();
    expect(world.status()?.phase).toBe('Available');
    expect(world.validations.at(-1)).toMatchObject({ uploadBytesPerSecond: 10 * 2 ** 20 });
  });

  it('that sets no rates causes no validation', async () => {
    const world = locationWorld(cloudSecret(), aLocation('default', seldom));
    await world.start();
    edit(world, ({ metadata }) => (metadata.annotations = { 'example.com/note': 'x' }));
    await world.cluster.settle();
    expect(world.validations).toHaveLength(1);
  });
});

describe('a request for a validation', () => {
  const ask = (world: LocationWorld, request: string) =>
    edit(world, ({ metadata }) => {
      metadata.annotations = { ...metadata.annotations, [annotations.validationRequested]: request };
    });
  const answered = (world: LocationWorld) => world.location()?.metadata.annotations?.[annotations.validationAnswered];
  const subject = (world: LocationWorld) => world.location()?.metadata.annotations?.[annotations.validatedSpec];
  const never = { validationFrequency: '0s' };

  it('is answered together with the result, immediately, whatever the frequency', async () => {
    const world = locationWorld(cloudSecret(), aLocation('default', never));
    await world.start();
    expect(answered(world)).toBeUndefined();
    for (const request of ['first', 'second']) {
      const before = world.validations.length;
      ask(world, request);
      await world.cluster.settle();
      expect([world.validations.length, answered(world)]).toEqual([before + 1, request]);
    }
    const written = world.cluster.calls
      .filter(({ verb }) => verb === 'patch')
      .map(({ body }) => (body as { body: object }).body);
    const verdicts = written.filter((body) => 'status' in body);
    expect(verdicts).toHaveLength(3);
    for (const body of verdicts)
      expect(body).toHaveProperty(['metadata', 'annotations', annotations.validatedSpec], expect.any(String));
    expect(verdicts.at(-1)).toHaveProperty(['metadata', 'annotations', annotations.validationAnswered], 'second');
  });

  it('is answered by a validation of the spec that came with it, not by one that was already running', async () => {
    const world = locationWorld(cloudSecret(), aLocation('default', never));
    world.answers.set('default', 'hang');
    await world.start();
    edit(world, ({ metadata, spec }) => {
      metadata.annotations = { [annotations.validationRequested]: 'mine' };
      spec.objectStorage.bucket = 'a/b';
    });
    await world.cluster.settle();
    expect(answered(world)).toBeUndefined();
    await world.clock.advance(60_000);
    expect([answered(world), world.status()?.message]).toEqual([
      'mine',
      expect.stringContaining("must not contain a '/'"),
    ]);
  });

  it('is answered again after a Secret was corrected, although the location has not changed', async () => {
    const world = locationWorld(cloudSecret(noKeys), aLocation('default', never));
    await world.start();
    expect(world.status()?.phase).toBe('Unavailable');
    world.cluster.put(cloudSecret());
    ask(world, 'mine');
    await world.cluster.settle();
    expect([answered(world), world.status()?.phase]).toEqual(['mine', 'Available']);
  });

  it('is removed from the answer when it is empty or too long', async () => {
    const world = locationWorld(cloudSecret(), aLocation('default', never));
    await world.start();
    for (const request of ['x', '', 'y', 'x'.repeat(257)]) {
      ask(world, request);
      await world.cluster.settle();
      expect(answered(world)).toBe(['x', 'y'].includes(request) ? request : undefined);
    }
    expect(world.validations).toHaveLength(5);
  });

  it('adds no attempt on a store that hangs and ignores the signal', async () => {
    const world = locationWorld(cloudSecret(), aLocation('default', never));
    world.answers.set('default', 'hang, deaf to the signal');
    await world.start();
    for (const request of ['1', '2', '3']) {
      ask(world, request);
      await world.clock.advance(60_000);
      expect(answered(world)).toBe(request);
    }
    expect(world.readings().attempts).toBe(1);
  });

  it.each<[string, (location: BackupStorageLocation) => void]>([
    ['a change of the spec', ({ spec }) => (spec.objectStorage.bucket = 'a/b')],
    [
      'a request',
      ({ metadata }) => {
        metadata.annotations = { ...metadata.annotations, [annotations.validationRequested]: 'mine' };
      },
    ],
  ])('or %s while no controller runs is handled by the next controller immediately', async (_, change) => {
    const world = locationWorld(cloudSecret(), aLocation('default', never));
    await world.start();
    const before = subject(world);
    await world.stop();
    edit(world, change);
    await world.start();
    expect(subject(world)).toMatch(/^[0-9a-f]{64}$/);
    expect(subject(world)).not.toBe(before);
  });

  it('is not repeated by a new controller when nothing has changed', async () => {
    const world = locationWorld(cloudSecret(), aLocation('default', never));
    await world.start();
    ask(world, 'mine');
    await world.cluster.settle();
    await world.start();
    await world.clock.advance(600_000);
    expect(world.validations).toHaveLength(2);
  });
});

describe('a change of a Secret', () => {
  it('that corrects it makes the location available within seconds', async () => {
    const world = locationWorld(cloudSecret(noKeys), aLocation('default', seldom));
    await world.start();
    expect(world.status()?.phase).toBe('Unavailable');
    world.cluster.put(cloudSecret());
    await world.clock.advance(noticedMs);
    expect(world.status()?.phase).toBe('Available');
  });

  it('that breaks it makes an available location unavailable within seconds', async () => {
    const world = locationWorld(cloudSecret(), aLocation('default', seldom));
    await world.start();
    world.cluster.put(cloudSecret(noKeys));
    await world.clock.advance(noticedMs);
    expect(world.status()?.message).toMatch(/Secret velero\/cloud-credentials key cloud has no aws_access_key_id/);
  });

  it.each(['0s', '24h'])(
    'is noticed when it is deleted and created again, with validations every %s',
    async (frequency) => {
      const world = locationWorld(cloudSecret(), aLocation('default', { validationFrequency: frequency }));
      await world.start();
      world.cluster.remove(secretType, { namespace, name: 'cloud-credentials' });
      await world.clock.advance(noticedMs);
      expect(world.status()?.message).toMatch(/Secret velero\/cloud-credentials .* does not exist/);
      world.cluster.put(cloudSecret());
      await world.clock.advance(noticedMs);
      expect(world.status()?.phase).toBe('Available');
    },
  );

  it('is noticed for the CA certificate as well', async () => {
    const location = aLocation('default', {
      ...seldom,
      objectStorage: { bucket: 'b', caCertRef: { name: 'ca', key: 'ca.crt' } },
    });
    const world = locationWorld(cloudSecret(), aSecret({ name: 'ca', namespace, values: {} }), location);
    await world.start();
    expect(world.status()?.message).toMatch(/Secret velero\/ca with the CA certificate has no key ca\.crt/);
    world.cluster.put(aSecret({ name: 'ca', namespace, values: { 'ca.crt': `not PEM ${secretValue}` } }));
    await world.clock.advance(noticedMs);
    expect(world.status()?.message).toMatch(/the CA certificate of objectStorage cannot be used: it holds no PEM/);
  });

  it('is noticed for the customer key as well, and the new key is used by the store', async () => {
    const key = secretValue.padEnd(32, 'x');
    const config = { s3Url: 'https://s3.test', customerKeyEncryptionSecret: 'sse/key' };
    const sse = (value: string) => aSecret({ name: 'sse', namespace, values: { key: value } });
    const world = locationWorld(cloudSecret(), sse(`${key}\n`), aLocation('default', { ...seldom, config }));
    await world.start();
    expect(world.status()?.message).toMatch(/Secret velero\/sse key key has 33 bytes; an SSE-C key has 32/);
    world.cluster.put(sse(key));
    await world.clock.advance(noticedMs);
    expect(world.status()?.phase).toBe('Available');
    expect(Buffer.from(world.validations.at(-1)?.customerKey ?? []).toString()).toBe(key);
  });

  it('is noticed also when another process did the last validation', async () => {
    const world = locationWorld(cloudSecret(), aLocation('default', { validationFrequency: '0s' }));
    await world.start();
    await world.start();
    await world.clock.advance(noticedMs);
    const before = world.validations.length;
    world.cluster.put(cloudSecret(noKeys));
    await world.clock.advance(noticedMs);
    expect(world.status()?.phase).toBe('Unavailable');
    expect(before).toBe(1);
  });

  it('validates every location that uses it, and no other', async () => {
    const own = { ...seldom, credential: { name: 'own', key: 'cloud' } };
    const world = locationWorld(
      cloudSecret(),
      cloudSecret(goodKeys, 'own'),
      aLocation('a', seldom),
      aLocation('b', seldom),
      aLocation('c', own),
    );
    await world.start();
    const before = world.validations.length;
    world.cluster.put(cloudSecret(`${goodKeys}# rotated\n`));
    await world.clock.advance(2 * noticedMs);
    expect(
      world.validations
        .slice(before)
        .map(({ location }) => location)
        .sort(),
    ).toEqual(['a', 'b']);
  });

  it('costs one read of the Secret per round, however many locations use it, and no list or watch', async () => {
    const locations = Array.from({ length: 50 }, (_, index) => aLocation(`l${index}`, seldom));
    const world = locationWorld(cloudSecret(), ...locations);
    await world.start({ defaultLocation: '' });
    const before = world.calls().length;
    await world.clock.advance(60_000);
    const looks = world
      .calls()
      .slice(before)
      .filter((call) => call === 'get secrets').length;
    expect(looks).toBeGreaterThanOrEqual(12);
    expect(looks).toBeLessThanOrEqual(16);
    const verbs = world.cluster.calls.filter(({ type }) => type.resource === 'secrets').map(({ verb }) => verb);
    expect(new Set(verbs)).toEqual(new Set(['get']));
  });

  it('costs at most 20 reads a second, however many Secrets there are', async () => {
    const names = Array.from({ length: 400 }, (_, index) => `s${index}`);
    const world = locationWorld(
      ...names.map((name) => cloudSecret(goodKeys, name)),
      ...names.map((name) => aLocation(name, { ...seldom, credential: { name, key: 'cloud' } })),
    );
    await world.start({ defaultLocation: '' });
    const before = world.readings().secretLooks;
    await world.clock.advance(20_000);
    expect(world.readings().secretLooks - before).toBeLessThanOrEqual(400);
    expect(world.readings().secrets).toBe(400);
  });

  it('is not looked for when the location is gone', async () => {
    const world = locationWorld(cloudSecret(), aLocation('default', seldom));
    await world.start();
    world.cluster.remove(backupStorageLocationType, { namespace, name: 'default' });
    await world.clock.advance(noticedMs);
    const before = world.calls().length;
    await world.clock.advance(600_000);
    expect([world.calls().length, world.readings().secrets]).toEqual([before, 0]);
  });
});

describe('the access mode', () => {
  it.each(['ReadOnly', 'ReadWrite'] as const)('%s is validated with reads only', async (accessMode) => {
    const world = locationWorld(cloudSecret(), aLocation('default', { accessMode }));
    await world.start();
    expect(world.status()?.phase).toBe('Available');
    expect(world.validations).toMatchObject([{ readOnly: accessMode === 'ReadOnly' }]);
    expect([world.otherStoreCalls, world.open]).toEqual([[], 0]);
  });
});
