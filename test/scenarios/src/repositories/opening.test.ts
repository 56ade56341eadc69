import { annotations, backupRepositoryType, backupStorageLocationType, secretType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { aBackupRepository, aBackupStorageLocation, aConfigMap } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import {
  cloudSecret,
  namespace,
  numbered,
  passwordSecret,
  passwordValue,
  repositoryWorld,
  soundFormat,
} from './repository-world.ts';

const minute = 60_000;
const base = () => [aBackupStorageLocation(), cloudSecret(), passwordSecret()];
const fresh = () => aBackupRepository({ phase: undefined, spec: { maintenanceFrequency: '0s' } });
const locationKey = { namespace, name: 'default' };

describe('a new repository', () => {
  it('gets its configuration from the ConfigMap of its type and the frequency of the server', async () => {
    const kopia = JSON.stringify({ cacheLimitMB: 2048, fullMaintenanceInterval: 'fastGC' });
    const world = await repositoryWorld({
      objects: [...base(), fresh(), aConfigMap({ name: 'c', namespace, data: { kopia } })],
      settings: { repositoryConfigMap: 'c', maintenanceFrequency: '30m0s' },
    });
    world.start();
    await world.clock.advance(1_000);
    expect(world.repository()).toMatchObject({
      spec: {
        maintenanceFrequency: '30m0s',
        repositoryConfig: { cacheLimitMB: '2048', fullMaintenanceInterval: 'fastGC' },
      },
      status: { phase: 'Ready', lastMaintenanceTime: '2030-01-01T00:00:00Z' },
    });
    await world.end();
  });

  it.each([
    ['no ConfigMap', []],
    ['one that is not JSON', [aConfigMap({ name: 'c', namespace, data: { kopia: '{' } })]],
    ['one for another type', [aConfigMap({ name: 'c', namespace, data: { restic: '{"a":1}' } })]],
  ])('becomes Ready with %s', async (_, more) => {
    const world = await repositoryWorld({
      objects: [...base(), fresh(), ...more],
      settings: { repositoryConfigMap: 'c' },
    });
    world.start();
    await world.clock.advance(1_000);
    expect(world.repository()?.status?.phase).toBe('Ready');
    expect(world.repository()?.spec.repositoryConfig ?? undefined).toBeUndefined();
    await world.end();
  });

  it('becomes Ready with a splitter that kopia does not know, and warns', async () => {
    const kopia = '{"blockSplitter":"FIXED-4MB"}';
    const world = await repositoryWorld({
      objects: [...base(), fresh(), aConfigMap({ name: 'c', namespace, data: { kopia } })],
      settings: { repositoryConfigMap: 'c' },
    });
    world.start();
    await world.clock.advance(1_000);
    expect(world.repository()?.status?.phase).toBe('Ready');
    expect(JSON.stringify(world.log.lines)).toContain('"blockSplitter":"FIXED-4MB"');
    expect(world.log.messages('warn').join()).toContain('a splitter that kopia does not know');
    await world.end();
  });

  it('keeps a configuration that is already set', async () => {
    const repository = aBackupRepository({ phase: 'New', spec: { repositoryConfig: { cacheLimitMB: '9' } } });
    const world = await repositoryWorld({
      objects: [...base(), repository, aConfigMap({ name: 'c', namespace, data: { kopia: '{"cacheLimitMB":1}' } })],
      settings: { repositoryConfigMap: 'c' },
    });
    world.start();
    await world.clock.advance(1_000);
    expect(world.repository()?.spec.repositoryConfig).toEqual({ cacheLimitMB: '9' });
    await world.end();
  });

  it("is encrypted with Velero's default password when that is configured, and warns once without showing it", async () => {
    const objects = [aBackupStorageLocation(), cloudSecret(), passwordSecret(' static-passw0rd\n')];
    const world = await repositoryWorld({ objects: [...objects, fresh(), numbered(1, { phase: 'New' })] });
    world.start();
    await world.clock.advance(1_000);
    expect(world.repository()?.status?.phase).toBe('Ready');
    expect(world.events.filter(({ reason }) => reason === 'RepositoryPasswordWellKnown')).toHaveLength(1);
    expect(world.log.messages('warn').join()).toContain('default password');
    expect(world.said()).not.toContain('static-passw0rd');
    await world.end();
  });
});

describe('a repository that does not open', () => {
  const refuse = () => Promise.reject(new AppError('REPOSITORY_PASSWORD_WRONG', 'the password is wrong'));

  it('is retried with backoff, at least every five minutes', async () => {
    const world = await repositoryWorld({ objects: [...base(), fresh()], open: refuse });
    world.start();
    await world.clock.advance(10 * minute);
    expect(world.repository()?.status).toMatchObject({ phase: 'NotReady', message: 'the password is wrong' });
    expect(world.counts.opened).toBeLessThanOrEqual(6);
    const before = world.counts.opened;
    await world.clock.advance(60 * minute);
    expect(world.counts.opened - before).toBeGreaterThanOrEqual(9);
    const writes = world.cluster.calls.filter(
      ({ verb, type }) => verb === 'patch' && type.resource === 'backuprepositories',
    );
    // The frequency, and one message.
    expect(writes).toHaveLength(2);
    await world.end();
  });

  it('is retried immediately when the password is corrected', async () => {
    let wrong = true;
    const world = await repositoryWorld({ objects: [...base(), fresh()], open: async () => (wrong ? refuse() : {}) });
    world.start();
    await world.clock.advance(4 * minute);
    wrong = false;
    world.cluster.change(secretType, { namespace, name: 'velero-repo-credentials' }, (secret) => {
      secret.data = { 'repository-password': Buffer.from(`${passwordValue}2`).toString('base64') };
    });
    await world.clock.advance(10_000);
    expect(world.repository()?.status?.phase).toBe('Ready');
    await world.end();
  });

  it('is not tried while its location is unavailable, and immediately when the location is available again', async () => {
    const away = aBackupStorageLocation({
      phase: 'Unavailable',
      spec: { validationFrequency: '0s' },
      status: {
        message: 'BackupStorageLocation "default" is unavailable: no such host',
        lastValidationTime: '2030-01-01T00:00:00Z',
      },
    });
    const world = await repositoryWorld({
      objects: [away, passwordSecret(), fresh()],
      open: () => Promise.reject(new Error('must not be tried')),
    });
    world.start();
    await world.clock.advance(2 * minute);
    expect(world.counts.opened).toBe(0);
    expect(world.repository()?.status).toMatchObject({
      phase: 'NotReady',
      message: expect.stringContaining('is unavailable'),
    });
    world.cluster.put(cloudSecret());
    await world.clock.advance(2 * minute);
    expect(world.counts.opened).toBeGreaterThan(0);
    await world.end();
  });
});

describe('temporary errors of API server or store', () => {
  const away = () => new AppError('OBJECT_STORE_UNAVAILABLE', 'the store does not answer', { retry: 'later' });

  it('leave a new repository New, so that no client gives up waiting, and are reported', async () => {
    let isAway = true;
    const open = async () => {
      if (isAway) throw away();
      return {};
    };
    const world = await repositoryWorld({ objects: [...base(), fresh()], open });
    world.start();
    await world.clock.advance(10_000);
    expect(world.repository()?.status?.phase ?? 'New').toBe('New');
    expect(world.repository()?.status?.message).toBe(
      'it could not be opened, and is tried again: the store does not answer',
    );
    isAway = false;
    await world.clock.advance(20_000);
    expect(world.repository()?.status).toMatchObject({ phase: 'Ready', message: '' });
    await world.end();
  });

  it('that last make a repository which was never opened NotReady', async () => {
    const world = await repositoryWorld({ objects: [...base(), fresh()], open: () => Promise.reject(away()) });
    world.start();
    await world.clock.advance(2 * minute);
    expect(world.repository()?.status).toMatchObject({ phase: 'NotReady', message: 'the store does not answer' });
    await world.end();
  });

  const anotherPassword = (world: Awaited<ReturnType<typeof repositoryWorld>>) =>
    world.cluster.change(secretType, { namespace, name: 'velero-repo-credentials' }, (secret) => {
      secret.data = { 'repository-password': Buffer.from('another').toString('base64') };
    });

  it.each([
    ['the store', away()],
    ['the API server', new AppError('KUBE_UNAVAILABLE', 'connection refused', { retry: 'soon' })],
  ])(
    'leave a Ready repository Ready however long %s is not reachable, are reported, and it is verified afterwards',
    async (_, error) => {
      let failing = true;
      const open = async () => {
        if (failing) throw error;
        return {};
      };
      const world = await repositoryWorld({ objects: [...base(), aBackupRepository()], open });
      const phases = new Set<string | undefined>();
      world.cluster.onChange(({ object }) => {
        if (object.kind === 'BackupRepository') phases.add((object as { status?: { phase?: string } }).status?.phase);
      });
      world.start();
      await world.clock.advance(minute);
      anotherPassword(world);
      await world.clock.advance(60 * minute);
      expect(world.repository()?.status).toMatchObject({
        phase: 'Ready',
        message: `it could not be opened, and is tried again: ${error.message}`,
      });
      // With backoff: about one try per round.
      expect(world.counts.opened).toBeGreaterThan(6);
      expect(world.counts.opened).toBeLessThan(25);
      failing = false;
      await world.clock.advance(6 * minute);
      expect(world.repository()?.status).toMatchObject({ phase: 'Ready', message: '' });
      const tries = world.counts.opened;
      await world.clock.advance(20 * minute);
      expect(world.counts.opened).toBe(tries);
      expect([...phases]).toEqual(['Ready']);
      await world.end();
    },
  );

  it('are retried by the next process', async () => {
    let failing = true;
    const open = async () => {
      if (failing) throw away();
      return {};
    };
    const world = await repositoryWorld({ objects: [...base(), aBackupRepository()], open });
    world.start();
    await world.clock.advance(minute);
    anotherPassword(world);
    await world.clock.advance(6 * minute);
    await world.end();
    failing = false;
    world.start();
    await world.clock.advance(minute);
    expect(world.repository()?.status).toMatchObject({ phase: 'Ready', message: '' });
    await world.end();
  });

  it('are told apart from a wrong password', async () => {
    const open = () => Promise.reject(new AppError('REPOSITORY_PASSWORD_WRONG', 'it does not open'));
    const world = await repositoryWorld({ objects: [...base(), aBackupRepository()], open });
    world.start();
    await world.clock.advance(minute);
    anotherPassword(world);
    await world.clock.advance(6 * minute);
    expect(world.repository()?.status).toMatchObject({ phase: 'NotReady', message: 'it does not open' });
    await world.end();
  });
});

describe('a Ready repository', () => {
  it('is opened again when its location changes, and is NotReady while there is no location', async () => {
    const world = await repositoryWorld({ objects: [...base(), aBackupRepository()] });
    world.start();
    await world.clock.advance(minute);
    expect(world.counts.opened).toBe(0);
    world.cluster.change(backupStorageLocationType, locationKey, ({ spec }) => (spec.objectStorage.prefix = 'other'));
    await world.clock.advance(minute);
    expect(world.counts.opened).toBe(1);
    expect(world.log.lines.some(({ fields }) => fields.reason === 're-establish on BSL change, create or delete')).toBe(
      true,
    );
    world.cluster.remove(backupStorageLocationType, locationKey);
    await world.clock.advance(minute);
    expect(world.repository()?.status).toMatchObject({
      phase: 'NotReady',
      message: expect.stringContaining('BackupStorageLocation velero/default does not exist'),
    });
    world.cluster.put(aBackupStorageLocation());
    await world.clock.advance(minute);
    expect(world.repository()?.status?.phase).toBe('Ready');
    await world.end();
  });

  it('is not opened again when only the rate of its location changes', async () => {
    const world = await repositoryWorld({ objects: [...base(), aBackupRepository()] });
    world.start();
    await world.clock.advance(minute);
    world.cluster.change(backupStorageLocationType, locationKey, ({ metadata }) => {
      metadata.annotations = { [annotations.uploadBytesPerSecond]: '1Mi' };
    });
    await world.clock.advance(10 * minute);
    expect([world.counts.opened, world.repository()?.status?.phase]).toEqual([0, 'Ready']);
    await world.end();
  });

  it('is NotReady when its data is gone from the bucket; it is not created again, and used again when the data is back', async () => {
    let inBucket: string[] = ['app'];
    const world = await repositoryWorld({ objects: [...base(), aBackupRepository()], inBucket: () => inBucket });
    world.start();
    await world.clock.advance(20 * minute);
    expect(world.counts.opened).toBe(0);
    inBucket = [];
    await world.clock.advance(12 * minute);
    expect(world.events.filter(({ reason }) => reason === 'RepositoryGone')).toHaveLength(1);
    expect(world.repository()?.status).toMatchObject({
      phase: 'NotReady',
      message: expect.stringContaining('to create a new one, delete this BackupRepository'),
    });
    await world.end();
    // A new process, which has no memory of it, does not create it either.
    world.start();
    await world.clock.advance(30 * minute);
    expect(world.counts.opened).toBe(0);
    inBucket = ['app'];
    await world.clock.advance(12 * minute);
    expect(world.counts.opened).toBe(1);
    expect(world.repository()?.status?.phase).toBe('Ready');
    await world.end();
  });

  describe('a Ready repository whose format object', () => {
    const corrupted = () =>
      Promise.reject(
        new AppError('REPOSITORY_CORRUPTED', 'object "kopia.repository" is damaged', { nextStep: 'Restore it.' }),
      );
    const wrongPassword = () => Promise.reject(new AppError('REPOSITORY_PASSWORD_WRONG', 'it does not open'));

    it.each([
      ['is cut off', '{"uniqueID":"id-of', corrupted, /"kopia.repository" is damaged. Restore it/],
      ['is missing', undefined, corrupted, /"kopia.repository" is damaged. Restore it/],
      ['differs in a byte', soundFormat('apq'), wrongPassword, /has changed, and it does not open. If a change of/],
    ] as const)(
      '%s is NotReady, says what to do, and is used again when that is restored',
      async (_, damaged, refuse, says) => {
        let format: string | undefined = soundFormat('app');
        const world = await repositoryWorld({
          objects: [...base(), aBackupRepository()],
          format: () => format,
          open: () => (format === soundFormat('app') ? Promise.resolve({}) : refuse()),
        });
        world.start();
        await world.clock.advance(20 * minute);
        expect([world.counts.opened, world.repository()?.status?.phase]).toEqual([0, 'Ready']);
        format = damaged;
        await world.clock.advance(12 * minute);
        expect(world.repository()?.status).toMatchObject({ phase: 'NotReady', message: expect.stringMatching(says) });
        format = soundFormat('app');
        await world.clock.advance(12 * minute);
        expect(world.repository()?.status).toMatchObject({ phase: 'Ready', message: '' });
        await world.end();
      },
    );

    it('is invalid at the first look is opened', async () => {
      const world = await repositoryWorld({
        objects: [...base(), aBackupRepository()],
        format: () => 'PK',
        open: corrupted,
      });
      world.start();
      await world.clock.advance(12 * minute);
      expect(world.repository()?.status?.phase).toBe('NotReady');
      await world.end();
    });

    it('has changed and opens stays Ready, and is opened once for that', async () => {
      let format = soundFormat('app');
      const world = await repositoryWorld({ objects: [...base(), aBackupRepository()], format: () => format });
      world.start();
      await world.clock.advance(12 * minute);
      format = JSON.stringify({ ...JSON.parse(format), version: 2 });
      await world.clock.advance(30 * minute);
      expect([world.counts.opened, world.repository()?.status?.phase]).toEqual([1, 'Ready']);
      await world.end();
    });

    it('cannot be read at the moment stays Ready; the store gets few requests, and every connection is closed', async () => {
      const many = Array.from({ length: 50 }, (_, at) => numbered(at));
      const world = await repositoryWorld({ objects: [...base(), ...many], format: () => new Promise(() => {}) });
      world.start();
      await world.clock.advance(30 * minute);
      expect(world.counts.opened).toBe(0);
      expect(world.cluster.all(backupRepositoryType).every(({ status }) => status?.phase === 'Ready')).toBe(true);
      // In each round only the first parallel reads, and none after the first of them had no answer.
      expect(world.counts.formats).toBeLessThanOrEqual(4 * world.counts.listed);
      await world.end();
      await world.clock.advance(minute);
      expect(world.counts.closed).toBe(world.counts.stores);
    });
  });

  it('is gone is created at the new place of its location', async () => {
    const world = await repositoryWorld({ objects: [...base(), aBackupRepository()], inBucket: () => [] });
    world.start();
    await world.clock.advance(12 * minute);
    expect(world.repository()?.status?.phase).toBe('NotReady');
    world.cluster.change(backupStorageLocationType, locationKey, ({ spec }) => {
      spec.objectStorage.prefix = 'other';
    });
    await world.clock.advance(minute);
    expect(world.counts.opened).toBe(1);
    await world.end();
  });

  it('is opened again when the password changes', async () => {
    const world = await repositoryWorld({ objects: [...base(), aBackupRepository()] });
    world.start();
    await world.clock.advance(10 * minute);
    expect(world.counts.opened).toBe(0);
    world.cluster.change(secretType, { namespace, name: 'velero-repo-credentials' }, (secret) => {
      secret.data = { 'repository-password': Buffer.from('another').toString('base64') };
    });
    await world.clock.advance(6 * minute);
    expect(world.counts.opened).toBe(1);
    await world.end();
  });
});

describe('10,000 repositories', () => {
  it('are checked in turn: few calls, bounded memory, a few at a time', { timeout: 300_000 }, async () => {
    const quiet = aBackupStorageLocation({ spec: { validationFrequency: '0s' } });
    const far = { lastMaintenanceTime: '2030-01-01T00:00:00Z' };
    const many = Array.from({ length: 10_000 }, (_, at) =>
      numbered(at, { spec: { maintenanceFrequency: '240h' }, status: far }),
    );
    const world = await repositoryWorld({ objects: [quiet, cloudSecret(), passwordSecret(), ...many] });
    world.start();
    await world.clock.advance(1_000);
    const before = world.cluster.calls.length;
    await world.clock.advance(6 * minute);
    // Watches, the one password Secret, and one listing of the bucket for all: no call per repository.
    expect(world.cluster.calls.length - before).toBeLessThan(300);
    expect(world.counts.listed).toBeLessThanOrEqual(3);
    expect(world.counts.listed).toBeGreaterThan(0);
    expect(world.counts.opened).toBe(0);
    // Each format object is one read of about 1 KiB, once per round.
    expect(world.counts.formats).toBeLessThan(2.5 * many.length);
    // Two timers each, for the check and for maintenance, and deadlines of reads, ten seconds each.
    expect(world.clock.pending).toBeLessThan(2 * many.length + 100 + (2 * 10 * many.length) / 300);
    // The checks are spread: no second of a period has more than a few times its share.
    const looks = new Map<number, number>();
    for (const { message, fields } of world.log.lines) {
      if (message !== 'the key comes again' || fields.controller !== 'backup-repository') continue;
      const second = Math.round(Number(fields.afterMs) / 1_000);
      looks.set(second, (looks.get(second) ?? 0) + 1);
    }
    expect(Math.max(...looks.values())).toBeLessThan(4 * ((2 * many.length) / 300));
    expect(world.cluster.all(backupRepositoryType).every(({ status }) => status?.phase === 'Ready')).toBe(true);
    await world.end();
  });

  it('that are new are opened a few at a time', { timeout: 300_000 }, async () => {
    const quiet = aBackupStorageLocation({ spec: { validationFrequency: '0s' } });
    const many = Array.from({ length: 300 }, (_, at) => numbered(at, { phase: 'New' }));
    const world = await repositoryWorld({
      objects: [quiet, cloudSecret(), passwordSecret(), ...many],
      open: () => world.clock.sleep(1_000).then(() => ({})),
    });
    world.start();
    await world.clock.advance(90_000);
    expect(world.counts.opened).toBe(many.length);
    expect(world.counts.openMost).toBe(4);
    await world.end();
  });
});
