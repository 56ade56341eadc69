import {
  type BackupRepository,
  type BackupStorageLocation,
  backupRepositoryType,
  backupStorageLocationType,
  repositoryCredentials,
  secretType,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { providerUnsupported, type StoreLocation } from '@lateen/storage-location';
import {
  aBackupRepository,
  aBackupStorageLocation,
  aSecret,
  FakeClock,
  fakeCluster,
  recordingLog,
  seededRandom,
} from '@lateen/testing';
import { afterEach, describe, expect, it } from 'vitest';
import type { OpenedRepository } from './repository/open-repository.ts';
import { runLocationControllers } from './run-location-controllers.ts';

const namespace = 'velero';
const keys = '[default]\naws_access_key_id=A\naws_secret_access_key=SECRETSECRET\n';
const cloudSecret = (text = keys) => aSecret({ name: 'cloud-credentials', namespace, values: { cloud: text } });
const running: AbortController[] = [];

afterEach(() => {
  for (const stop of running.splice(0)) stop.abort(new Error('the test is over'));
});

interface Given {
  objects?: (BackupStorageLocation | BackupRepository | ReturnType<typeof aSecret>)[];
  /** First-level directories by bucket, or the error of listing them. */
  list?: (location: StoreLocation, signal: AbortSignal) => Promise<string[]>;
  open?: (repository: BackupRepository, location: BackupStorageLocation) => Promise<unknown>;
}

async function start(given: Given = {}) {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects: given.objects ?? [cloudSecret()] });
  const log = recordingLog();
  const stop = new AbortController();
  running.push(stop);
  const counts = { listed: 0, opened: 0, closed: 0 };
  const refuse = () => Promise.reject(new Error('not part of this test'));
  const done = runLocationControllers(
    {
      kube: cluster,
      namespace,
      clock,
      random: seededRandom(3),
      log,
      listAccountKey: async () => undefined,
      openStore: (location) => {
        if (location.provider === 'plugin') throw providerUnsupported(location.plugin);
        return {
          listCommonPrefixes: (prefix, options) => {
            // The check of repositories that were Ready; the builder's is of namespace app.
            if (prefix.endsWith('kopia/')) return Promise.resolve(['app']);
            counts.listed += 1;
            return given.list?.(location, options?.signal ?? stop.signal) ?? Promise.resolve(['backups', 'kopia']);
          },
          list: async function* () {},
          exists: refuse,
          get: refuse,
          put: refuse,
          read: () => {
            throw new Error('not part of this test');
          },
          write: refuse,
          endAbandonedWrites: refuse,
          signedUrl: refuse,
          delete: refuse,
          close: async () => {
            counts.closed += 1;
          },
        };
      },
      openRepository: async (repository, location) => {
        counts.opened += 1;
        return ((await given.open?.(repository, location)) ?? {}) as OpenedRepository;
      },
    },
    stop.signal,
  );
  await cluster.settle();
  const locationStatus = (name = 'default') => cluster.find(backupStorageLocationType, { namespace, name })?.status;
  const repositoryStatus = (name = 'app-default-kopia') =>
    cluster.find(backupRepositoryType, { namespace, name })?.status;
  return { clock, cluster, log, stop, done, counts, locationStatus, repositoryStatus };
}

const newLocation = (spec: Partial<BackupStorageLocation['spec']> = {}, name = 'default') =>
  aBackupStorageLocation({ name, phase: undefined, spec });

describe('the BackupStorageLocation controller', () => {
  it("makes a location Available when it can be listed and has only Velero's directories", async () => {
    const { locationStatus, counts } = await start({ objects: [cloudSecret(), newLocation()] });
    expect(locationStatus()).toEqual({ phase: 'Available', message: '', lastValidationTime: '2030-01-01T00:00:00Z' });
    expect(counts).toMatchObject({ listed: 1, closed: 1 });
  });

  it.each<[string, Given, RegExp]>([
    [
      'the bucket does not exist',
      { list: () => Promise.reject(new AppError('BUCKET_NOT_FOUND', 'bucket "b" does not exist')) },
      /^BackupStorageLocation "default" is unavailable: bucket "b" does not exist$/,
    ],
    [
      'another directory is in the bucket',
      { list: async () => ['backups', 'photos', 'music'] },
      /unavailable: Backup store contains invalid top-level directories: \[music photos\]/,
    ],
    [
      'many other directories are in the bucket',
      { list: async () => ['d', 'c', 'b', 'a'] },
      /Backup store contains 4 invalid top-level directories: \[a b c \.\.\.\]/,
    ],
    [
      'the Secret is missing',
      { objects: [newLocation()] },
      /Secret velero\/cloud-credentials with the keys .* does not exist\. Create it/,
    ],
    [
      'the Secret has no such profile',
      { objects: [cloudSecret(), newLocation({ config: { profile: 'p', s3Url: 'http://s' } })] },
      /Secret velero\/cloud-credentials key cloud has no profile "p"/,
    ],
    [
      'the bucket name holds a slash',
      { objects: [cloudSecret(), newLocation({ objectStorage: { bucket: 'a/b' } })] },
      /bucket name "a\/b" must not contain a '\/' \(if using a prefix, put it in the 'Prefix' field instead\)/,
    ],
    [
      'both kinds of CA are set',
      {
        objects: [
          cloudSecret(),
          newLocation({ objectStorage: { bucket: 'b', caCert: 'eA==', caCertRef: { name: 'n', key: 'k' } } }),
        ],
      },
      /cannot specify both caCert and caCertRef in objectStorage/,
    ],
    [
      'the provider is not supported',
      { objects: [cloudSecret(), newLocation({ provider: 'dropbox', config: {} })] },
      /provider "dropbox" is not supported/,
    ],
    [
      'the store closes the connection, with a signed URL in its message',
      { list: () => Promise.reject(new Error('GET https://x/y?sig=TOPSECRET&sp=r failed')) },
      /GET https:\/\/x\/y\?sig=\*\*\*&sp=\*\*\* failed/,
    ],
  ])('makes it Unavailable and reports the reason when %s', async (_, given, message) => {
    const { locationStatus, cluster } = await start({ objects: [cloudSecret(), newLocation()], ...given });
    expect(locationStatus()?.phase).toBe('Unavailable');
    expect(locationStatus()?.message).toMatch(message);
    expect(JSON.stringify(cluster.all(backupStorageLocationType))).not.toMatch(/SECRETSECRET|TOPSECRET/);
  });

  it('validates at once when the spec changes', async () => {
    let bucket = '';
    const list = async (location: StoreLocation) => {
      bucket = location.bucket;
      return [];
    };
    const { cluster } = await start({ objects: [cloudSecret(), newLocation()], list });
    cluster.change(backupStorageLocationType, { namespace, name: 'default' }, ({ spec }) => {
      spec.objectStorage.bucket = 'other';
    });
    await cluster.settle();
    expect(bucket).toBe('other');
  });

  it('detects a corrected Secret within seconds, without listing Secrets', async () => {
    const { cluster, clock, locationStatus } = await start({ objects: [cloudSecret('[default]\n'), newLocation()] });
    expect(locationStatus()?.phase).toBe('Unavailable');
    cluster.put(cloudSecret());
    await clock.advance(5_000);
    expect(locationStatus()?.phase).toBe('Available');
    const verbs = cluster.calls.filter(({ type }) => type.resource === secretType.resource).map(({ verb }) => verb);
    expect(new Set(verbs)).toEqual(new Set(['get']));
  });

  it('gives up a location that does not answer after 32 s, and delays no other one', async () => {
    const list = ({ name }: StoreLocation, signal: AbortSignal) =>
      name === 'good'
        ? Promise.resolve([])
        : new Promise<string[]>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const hanging = Array.from({ length: 7 }, (_, index) => newLocation({}, `hang-${index}`));
    const { clock, locationStatus } = await start({
      objects: [cloudSecret(), ...hanging, newLocation({}, 'good')],
      list,
    });
    expect(locationStatus('good')?.phase).toBe('Available');
    await clock.advance(32_000);
    expect(locationStatus('hang-0')?.message).toMatch(/is unavailable: no answer within 30s/);
  });
});

describe('the BackupRepository controller', () => {
  const fresh = (spec: Partial<BackupRepository['spec']> = {}) => aBackupRepository({ phase: undefined, spec });

  it('sets the frequency, creates the password, opens the repository and sets Ready', async () => {
    const objects = [cloudSecret(), newLocation(), fresh({ maintenanceFrequency: '0s' })];
    const { cluster, repositoryStatus, log } = await start({ objects });
    expect(repositoryStatus()).toEqual({ phase: 'Ready', message: '', lastMaintenanceTime: '2030-01-01T00:00:00Z' });
    const repository = cluster.all(backupRepositoryType)[0];
    expect(repository?.spec.maintenanceFrequency).toBe('1h0m0s');
    const secret = cluster.find(secretType, { namespace, name: repositoryCredentials.name });
    const password = Buffer.from(secret?.data?.[repositoryCredentials.key] ?? '', 'base64').toString();
    expect(password).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(log.lines)).not.toContain(password);
  });

  it('keeps an existing password', async () => {
    const { name, key } = repositoryCredentials;
    const own = aSecret({ name, namespace, values: { [key]: 'mine' } });
    const { cluster } = await start({ objects: [cloudSecret(), own, newLocation(), fresh()] });
    const kept = cluster.find(secretType, { namespace, name })?.data?.[key];
    expect(Buffer.from(kept ?? '', 'base64').toString()).toBe('mine');
  });

  it('sets NotReady with the reason, retries, and sets Ready when the cause is gone', async () => {
    let broken = true;
    const open = async () => {
      if (broken) throw new AppError('REPOSITORY_PASSWORD_WRONG', 'wrong password', { nextStep: 'Correct it.' });
    };
    const { clock, repositoryStatus, counts } = await start({ objects: [cloudSecret(), newLocation(), fresh()], open });
    expect(repositoryStatus()).toMatchObject({ phase: 'NotReady', message: 'wrong password. Correct it.' });
    await clock.advance(6_000);
    const tried = counts.opened;
    broken = false;
    await clock.advance(30_000);
    expect(repositoryStatus()?.phase).toBe('Ready');
    expect(tried).toBeLessThanOrEqual(3);
  });

  it('retries within seconds when the password Secret is corrected', async () => {
    const { name, key } = repositoryCredentials;
    const secret = (value: string) => aSecret({ name, namespace, values: { [key]: value } });
    let good = false;
    const open = async () => {
      if (!good) throw new AppError('REPOSITORY_PASSWORD_WRONG', 'wrong password');
    };
    const { cluster, clock, repositoryStatus } = await start({
      objects: [cloudSecret(), secret('bad'), newLocation(), fresh()],
      open,
    });
    await clock.advance(12_000);
    good = true;
    cluster.put(secret('good'));
    await clock.advance(5_000);
    expect(repositoryStatus()?.phase).toBe('Ready');
  });

  it('names a missing location, and uses it when it is created', async () => {
    const { cluster, clock, repositoryStatus } = await start({ objects: [cloudSecret(), fresh()] });
    expect(repositoryStatus()?.message).toMatch(/^BackupStorageLocation velero\/default does not exist/);
    cluster.put(newLocation());
    await clock.advance(1_000);
    expect(repositoryStatus()?.phase).toBe('Ready');
  });

  it('opens a Ready repository again when its location changes', async () => {
    const { cluster, counts, repositoryStatus } = await start({ objects: [cloudSecret(), newLocation(), fresh()] });
    const before = counts.opened;
    const phases: (string | undefined)[] = [];
    cluster.intercept(async (call, next) => {
      const result = await next();
      if (call.verb === 'patch' && call.type.resource === 'backuprepositories') phases.push(repositoryStatus()?.phase);
      return result;
    });
    cluster.change(backupStorageLocationType, { namespace, name: 'default' }, ({ spec }) => {
      spec.objectStorage.prefix = 'elsewhere';
    });
    await cluster.settle();
    expect(counts.opened).toBe(before + 1);
    expect(phases).toEqual(['NotReady', 'Ready']);
  });

  it('ignores validations and rotated keys', async () => {
    const { cluster, clock, counts } = await start({ objects: [cloudSecret(), newLocation(), fresh()] });
    const before = counts.opened;
    cluster.put(cloudSecret(`${keys}# rotated\n`));
    await clock.advance(600_000);
    expect(counts.opened).toBe(before);
  });

  it('opens a restic repository and keeps its identifier', async () => {
    const repository = aBackupRepository({
      name: 'app-default-restic',
      phase: 'New',
      spec: { repositoryType: 'restic' },
    });
    const { cluster, repositoryStatus, counts } = await start({
      objects: [cloudSecret(), aBackupStorageLocation(), repository],
      open: async () => ({ resticIdentifier: 's3:http://s3.test:9000/backups/restic/app' }),
    });
    const name = 'app-default-restic';
    const spec = cluster.find(backupRepositoryType, { namespace, name })?.spec;
    expect(spec).toMatchObject({ resticIdentifier: 's3:http://s3.test:9000/backups/restic/app' });
    expect(repositoryStatus(name)).toMatchObject({ phase: 'Ready' });
    expect(counts.opened).toBe(1);
  });

  it('reports why a restic repository is not ready', async () => {
    const repository = aBackupRepository({ phase: 'New', spec: { repositoryType: 'restic' } });
    const { repositoryStatus } = await start({
      objects: [cloudSecret(), aBackupStorageLocation(), repository],
      open: () => Promise.reject(new AppError('REPOSITORY_PASSWORD_WRONG', 'it does not open')),
    });
    expect(repositoryStatus()).toMatchObject({
      phase: 'NotReady',
      message: expect.stringContaining('it does not open'),
    });
  });

  it.each([''] as const)('ignores a repository of type %j', async (repositoryType) => {
    const { repositoryStatus, counts } = await start({
      objects: [cloudSecret(), newLocation(), fresh({ repositoryType })],
    });
    expect([repositoryStatus(), counts.opened]).toEqual([undefined, 0]);
  });
});

it('stops on abort, and does nothing afterwards', async () => {
  const objects = [cloudSecret(), newLocation(), aBackupRepository({ phase: undefined })];
  const { stop, done, clock, cluster, counts } = await start({ objects });
  stop.abort(new Error('stop'));
  await done;
  const [calls, listed] = [cluster.calls.length, counts.listed];
  await clock.advance(600_000);
  expect([cluster.calls.length, counts.listed, cluster.openWatches]).toEqual([calls, listed, 0]);
});
