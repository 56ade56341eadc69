import {
  annotations,
  type Backup,
  type BackupStorageLocation,
  backupRepositoryType,
  backupStorageLocationType,
  backupType,
  getValidName,
  type KubeObject,
} from '@lateen/api-types';
import {
  aBackupRepository,
  aBackupStorageLocation,
  aSecret,
  FakeClock,
  type FakeCluster,
  fakeCluster,
  seededRandom,
} from '@lateen/testing';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { runForTests } from '../run-for-tests.ts';

const namespace = 'velero';

const secretValue = 'a-very-secret-value';
const keys = aSecret({ name: 'keys', values: { cloud: secretValue } });

function setUp(objects: KubeObject[] = []) {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const cluster = fakeCluster({ clock, objects });
  const world = { clock, random: seededRandom(), kube: cluster };
  const run = async (words: string, options: Parameters<typeof runForTests>[2] = {}) => {
    const ran = await runForTests(world, words.split(' '), options);
    expect(JSON.stringify(ran)).not.toContain(secretValue);
    return ran;
  };
  const find = (name: string) => cluster.find(backupStorageLocationType, { namespace, name });
  const specOf = (name: string) => find(name)?.spec;
  const names = () => cluster.all(backupStorageLocationType).map(({ metadata }) => metadata.name);
  return { clock, cluster, run, find, specOf, names };
}

const configured = (name: string) => `Backup storage location "${name}" configured successfully.\n`;

function backup(name: string, storageLocation: string): Backup {
  const labels = { 'velero.io/storage-location': storageLocation };
  return { apiVersion: 'velero.io/v1', kind: 'Backup', metadata: { name, namespace, labels }, spec: {} };
}

describe('lateen backup-location create', () => {
  it('stores the given values, and ReadWrite as Velero does', async () => {
    const { run, find } = setUp([keys]);
    const ran = await run(
      'backup-location create offsite --provider aws --bucket backups --prefix prod/a --credential keys=cloud ' +
        '--config region=eu,s3Url=https://s3.test:9000 --config profile= --labels tier=two --validation-frequency 90m ' +
        '--backup-sync-period 0',
    );
    expect(ran).toEqual({ code: 0, stdout: configured('offsite'), stderr: '', asked: [], connected: true });
    expect(find('offsite')).toMatchObject({ metadata: { labels: { tier: 'two' } } });
    expect(find('offsite')?.spec).toEqual({
      provider: 'aws',
      objectStorage: { bucket: 'backups', prefix: 'prod/a' },
      config: { region: 'eu', s3Url: 'https://s3.test:9000', profile: '' },
      accessMode: 'ReadWrite',
      credential: { name: 'keys', key: 'cloud' },
      validationFrequency: '90m',
      backupSyncPeriod: '0s',
    });
  });

  it('stores rate limits as annotations in the given form, and none for 0', async () => {
    const { run, find } = setUp();
    await run('backup-location create slow --provider aws --bucket b --upload-limit 10Mi --download-limit 5000000');
    expect(find('slow')?.metadata.annotations).toEqual({
      'lateen.dev/upload-bytes-per-second': '10Mi',
      'lateen.dev/download-bytes-per-second': '5000000',
    });
    await run('backup-location create free --provider aws --bucket b --upload-limit 0');
    expect(find('free')?.metadata.annotations).toBeUndefined();
  });

  it('stores nothing for flags that were not given', async () => {
    const { run, specOf } = setUp();
    await run('create backup-location plain --provider gcp --bucket b --access-mode ReadOnly');
    expect(specOf('plain')).toEqual({
      provider: 'gcp',
      objectStorage: { bucket: 'b' },
      accessMode: 'ReadOnly',
    });
  });

  it('removes the default mark from the location that has it', async () => {
    const { run, specOf } = setUp([aBackupStorageLocation({ spec: { default: true } })]);
    expect(await run('backup-location create new --default --provider aws --bucket b')).toMatchObject({
      code: 0,
      stdout: configured('new'),
    });
    expect([specOf('default')?.default, specOf('new')?.default]).toEqual([false, true]);
  });

  it('with -o prints the object and does not create it', async () => {
    const { run, names, cluster } = setUp();
    const yaml = await run('backup-location create new --provider aws --bucket b --default -o yaml');
    expect(load(yaml.stdout)).toEqual({
      apiVersion: 'velero.io/v1',
      kind: 'BackupStorageLocation',
      metadata: { name: 'new', namespace },
      spec: { provider: 'aws', objectStorage: { bucket: 'b' }, accessMode: 'ReadWrite', default: true },
    });
    const table = await run('backup-location create new --provider aws --bucket b -o table');
    expect(table.stdout.split('\n')[1]).toMatch(/^new +aws +b +Unknown +Unknown +ReadWrite$/);
    expect(names()).toEqual([]);
    expect(cluster.calls).toEqual([]);
  });

  it.each([
    [
      '--provider minio --bucket b',
      'provider "minio" is not known; known are aws, azure, gcp and velero.io/fs, and any other that is given config s3Url',
    ],
    [
      '--provider aws --bucket b --access-mode ReadOnly --default',
      '"new" becomes the default, but is ReadOnly: backups that name no location will fail',
    ],
    [
      '--provider aws --bucket b --credential none=cloud',
      'Secret velero/none does not exist; the location is unavailable until it does',
    ],
    [
      '--provider aws --bucket b --cacert-secret keys=ca.crt',
      'Secret velero/keys has no key ca.crt; the location is unavailable until it has',
    ],
    [
      '--provider aws --bucket b --config customerKeyEncryptionSecret=keys/sse',
      'Secret velero/keys has no key sse; the location is unavailable until it has',
    ],
  ])('warns about %s, and creates the location nevertheless', async (flags, warning) => {
    const { run, names } = setUp([keys]);
    const ran = await run(`backup-location create new ${flags}`);
    expect(ran).toMatchObject({ code: 0, stdout: configured('new'), stderr: `WARNING: ${warning}\n` });
    expect(names()).toEqual(['new']);
  });

  it('skips the check of Secrets when they may not be read', async () => {
    const { run, cluster, names } = setUp([keys]);
    cluster.failOnce('get', ({ type }) => type.kind === 'Secret', 'KUBE_FORBIDDEN');
    const ran = await run('backup-location create new --provider aws --bucket b --credential keys=cloud');
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(/^WARNING: Secret velero\/keys could not be looked at: .*KUBE_FORBIDDEN\n$/);
    expect(names()).toEqual(['new']);
  });

  it('accepts an unknown provider, with its s3Url', async () => {
    const { run } = setUp([keys]);
    const { stderr } = await run(
      'backup-location create new --provider minio --bucket b --config s3Url=http://h:9000 --credential keys=cloud',
    );
    expect(stderr).toBe('');
  });

  it('reports in the API\u2019s words that the name is taken', async () => {
    const { run, specOf } = setUp([aBackupStorageLocation()]);
    expect(await run('backup-location create default --provider gcp --bucket other')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'An error occurred: backupstoragelocations.velero.io "default" already exists\n',
    });
    expect(specOf('default')?.provider).toBe('aws');
  });
});

describe('lateen backup-location create and set --wait', () => {
  const words = 'backup-location create new --provider aws --bucket b --wait';
  type Status = BackupStorageLocation['status'];
  const change = (cluster: FakeCluster, edit: (location: BackupStorageLocation) => void) => {
    cluster.change<BackupStorageLocation>(backupStorageLocationType, { namespace, name: 'new' }, edit);
    return cluster.settle();
  };
  /** Writes the status as the controller does, for the version of the location that it was `asked` about. */
  const validated = (cluster: FakeCluster, status: Status, asked?: string) =>
    change(cluster, (location) => {
      const before = location.metadata.annotations;
      const answered = asked ?? before?.[annotations.validationRequested] ?? '';
      const marks = { [annotations.validatedSpec]: 'a hash', [annotations.validationAnswered]: answered };
      Object.assign(location, { metadata: { ...location.metadata, annotations: { ...before, ...marks } }, status });
    });
  const available = { phase: 'Available', lastValidationTime: '2030-01-01T00:00:00Z' } as const;
  const unavailable = { phase: 'Unavailable', lastValidationTime: '2030-01-01T00:00:00Z', message: 'old' } as const;
  const isAvailable = 'Backup storage location "new" is Available.\n';
  const located = (status: Status) => setUp([aBackupStorageLocation({ name: 'new', ...(status && { status }) })]);
  const requestOf = (world: ReturnType<typeof setUp>) =>
    world.find('new')?.metadata.annotations?.[annotations.validationRequested];

  it('reports that the location is Available', async () => {
    const { run, cluster } = setUp();
    const ran = run(words);
    await cluster.settle();
    await validated(cluster, available);
    expect(await ran).toMatchObject({ code: 0, stdout: `${configured('new')}${isAvailable}` });
  });

  it('reports the reason when it is not, and fails', async () => {
    const { run, cluster } = setUp();
    const ran = run(words);
    await cluster.settle();
    await validated(cluster, { ...unavailable, message: 'BackupStorageLocation "new" is unavailable: no such bucket' });
    const { code, stderr } = await ran;
    expect(code).toBe(1);
    expect(stderr).toMatch(/An error occurred: BackupStorageLocation "new" is unavailable: no such bucket\n$/);
  });

  it('do not use a result for the old spec as the result for the new one, however recent it is', async () => {
    const { run, cluster } = located(available);
    const ran = run('backup-location set new --config region=eu-1 --wait');
    await cluster.settle();
    // This validation was running when the spec changed.
    await validated(cluster, { ...available, lastValidationTime: '2030-01-01T00:00:05Z' }, 'an earlier request');
    await validated(cluster, { ...unavailable, message: 'no such bucket' });
    expect(await ran).toMatchObject({ code: 1, stderr: expect.stringMatching(/An error occurred: no such bucket\n$/) });
  });

  it.each([
    ['--access-mode ReadOnly', configured('new')],
    ['--backup-sync-period 5m', configured('new')],
    ['--default', configured('new')],
    ['', ''],
  ])('request a validation also with %j, and accept the same result again for one', async (flags, said) => {
    const world = located(available);
    const ran = world.run(`backup-location set new ${flags} --wait`.replace('  ', ' '));
    await world.cluster.settle();
    expect(requestOf(world)).toMatch(/^2030-01-01T00:00:00Z [a-z0-9]{5}$/);
    await validated(world.cluster, available);
    expect(await ran).toMatchObject({ code: 0, stdout: `${said}${isAvailable}` });
  });

  it('send a new request each time, also within a second', async () => {
    const world = located(available);
    const requests = new Set<string | undefined>();
    for (let time = 0; time < 3; time++) {
      const ran = world.run('backup-location set new --wait');
      await world.cluster.settle();
      requests.add(requestOf(world));
      await validated(world.cluster, available);
      await ran;
    }
    expect(requests.size).toBe(3);
  });

  it('accept the answer to a later request as one to their own', async () => {
    const { run, cluster } = located(unavailable);
    const ran = run('backup-location set new --wait');
    await cluster.settle();
    await change(cluster, ({ metadata }) =>
      Object.assign(metadata, { annotations: { ...metadata.annotations, [annotations.validationRequested]: 'mine' } }),
    );
    await validated(cluster, available);
    expect(await ran).toMatchObject({ code: 0, stdout: isAvailable });
  });

  it('wait for a newer result when an older controller does not answer requests', async () => {
    const { run, cluster } = located(unavailable);
    const ran = run('backup-location set new --config region=eu-1 --wait');
    await cluster.settle();
    await change(cluster, (location) => Object.assign(location, { status: unavailable }));
    const status = { ...unavailable, lastValidationTime: '2030-01-01T00:00:05Z', message: 'no such bucket' };
    await change(cluster, (location) => Object.assign(location, { status }));
    expect(await ran).toMatchObject({ code: 1, stderr: expect.stringMatching(/An error occurred: no such bucket\n$/) });
  });

  it.each([
    ['--config regio=eu-1', 'config has invalid keys [regio]; valid keys are [region s3Url'],
    ['--config region=x.evil.invalid/?', 'config.region "x.evil.invalid/?" is not a region. Write its name alone'],
    ['--config s3Url=ftp://h', 'config.s3Url "ftp://h" is not an http or https address.'],
    ['--config s3Url=http://h,customerKeyEncryptionSecret=a/b', 'a customer key is only sent over https'],
  ])('rejects before anything is changed: %s', async (flags, message) => {
    const { run, specOf, cluster } = setUp([aBackupStorageLocation({ name: 'new' })]);
    const before = specOf('new');
    const { code, stderr } = await run(`backup-location set new ${flags}`);
    expect(code).toBe(1);
    expect(stderr).toContain(`An error occurred: ${message}`);
    expect(specOf('new')).toEqual(before);
    expect(cluster.calls.filter(({ verb }) => verb === 'patch')).toEqual([]);
  });

  it('changes a location that has another error, and corrects it', async () => {
    const spec = { config: { region: 'a/b', s3Url: 'https://h' } };
    const { run, specOf } = setUp([aBackupStorageLocation({ name: 'new', spec })]);
    expect(await run('backup-location set new --access-mode ReadOnly')).toMatchObject({ code: 0 });
    expect(await run('backup-location set new --config region=')).toMatchObject({ code: 0 });
    expect(specOf('new')).toMatchObject({ accessMode: 'ReadOnly', config: { s3Url: 'https://h' } });
  });

  it('ends when no controller validates, when the location is deleted, and on Ctrl-C', async () => {
    const late = setUp();
    const waiting = late.run(words);
    await late.cluster.settle();
    await late.clock.advance(121_000);
    expect((await waiting).stderr).toContain('"new" was not validated within 2m0s. See whether the controller runs');
    const gone = setUp();
    const deleted = gone.run(words);
    await gone.cluster.settle();
    gone.cluster.remove(backupStorageLocationType, { namespace, name: 'new' });
    await gone.cluster.settle();
    expect((await deleted).stderr).toContain('backupstoragelocations.velero.io "new" not found');
    const stopped = setUp();
    const stop = new AbortController();
    const ran = stopped.run(words, { signal: stop.signal });
    await stopped.cluster.settle();
    stop.abort(new Error('Ctrl-C'));
    const { code, stderr } = await ran;
    expect(code).toBe(1);
    expect(stderr).toMatch(/stopped waiting; backup storage location "new" stays\. See its state with: lateen .*\n$/);
    expect(stopped.names()).toEqual(['new']);
  });
});

describe('lateen backup-location set', () => {
  const old = () =>
    aBackupStorageLocation({
      name: 'old',
      spec: {
        default: true,
        credential: { name: 'keys', key: 'cloud' },
        objectStorage: { bucket: 'b', prefix: 'p', caCert: 'Y2E=' },
      },
    });

  it('leaves alone fields whose flags were not given', async () => {
    const { run, specOf } = setUp([old()]);
    const before = specOf('old');
    expect(await run('backup-location set old --access-mode ReadOnly')).toMatchObject({ stdout: configured('old') });
    expect(specOf('old')).toEqual({ ...before, accessMode: 'ReadOnly' });
  });

  it('adds settings, and removes those without a value', async () => {
    const { run, specOf } = setUp([old()]);
    await run('backup-location set old --config region=eu,s3ForcePathStyle=,kmsKeyId=k');
    expect(specOf('old')?.config).toEqual({ region: 'eu', s3Url: 'http://s3.test:9000', kmsKeyId: 'k' });
  });

  it('replaces the CA in the object by one from a Secret, and removes any with an empty value', async () => {
    const { run, specOf } = setUp([old(), keys]);
    await run('backup-location set old --cacert-secret keys=cloud');
    expect(specOf('old')?.objectStorage).toEqual({
      bucket: 'b',
      prefix: 'p',
      caCertRef: { name: 'keys', key: 'cloud' },
    });
    await run('backup-location set old --cacert=');
    expect(specOf('old')?.objectStorage).toEqual({ bucket: 'b', prefix: 'p' });
  });

  it('sets and removes rate limits, and leaves the spec and other annotations alone', async () => {
    const { run, find } = setUp([{ ...old(), metadata: { ...old().metadata, annotations: { note: 'x' } } }]);
    const before = find('old')?.spec;
    expect(await run('backup-location set old --upload-limit 20Mi --download-limit 1G')).toMatchObject({ code: 0 });
    expect(find('old')?.metadata.annotations).toEqual({
      note: 'x',
      'lateen.dev/upload-bytes-per-second': '20Mi',
      'lateen.dev/download-bytes-per-second': '1G',
    });
    await run('backup-location set old --upload-limit 0 --download-limit=');
    expect(find('old')?.metadata.annotations).toEqual({ note: 'x' });
    expect(find('old')?.spec).toEqual(before);
  });

  it('warns, in both commands, about a download limit at which kopia pauses', async () => {
    const { run } = setUp([old()]);
    const warning = /WARNING: with this download limit kopia pauses for about 5m47s before each file/;
    const made = await run('backup-location create crawl --provider aws --bucket b --download-limit 48Ki');
    expect(made).toMatchObject({ code: 0, stderr: expect.stringMatching(warning) });
    const set = await run('backup-location set old --download-limit 48Ki');
    expect(set).toMatchObject({ code: 0, stderr: expect.stringMatching(warning) });
    expect((await run('backup-location set old --download-limit 400Ki')).stderr).not.toMatch(warning);
  });

  it('moves the default, with all forms of the flag', async () => {
    const { run, specOf } = setUp([old(), aBackupStorageLocation({ name: 'new' })]);
    const defaults = () => [specOf('old')?.default, specOf('new')?.default];
    expect(await run('backup-location set --default new')).toMatchObject({ code: 0, stderr: '' });
    expect(defaults()).toEqual([false, true]);
    await run('backup-location set old --default=true');
    expect(defaults()).toEqual([true, false]);
    expect(await run('backup-location set --default=false old')).toMatchObject({
      code: 0,
      stderr:
        'WARNING: no location is the default now; unless the server chooses one, backups that name none will fail\n',
    });
    expect(defaults()).toEqual([false, false]);
  });

  it('warns about an unusable default, and still makes it the default', async () => {
    const phase = 'Unavailable';
    const bad = aBackupStorageLocation({ name: 'bad', phase, status: { message: 'no such\nbucket' } });
    const { run, specOf } = setUp([old(), bad]);
    const { code, stderr } = await run('backup-location set bad --default --access-mode ReadOnly');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        'WARNING: "bad" becomes the default, but is ReadOnly: backups that name no location will fail\n' +
        'WARNING: "bad" becomes the default, but is unavailable: no such bucket\n',
    });
    expect(specOf('bad')?.default).toBe(true);
  });

  it('warns about a Secret that does not exist', async () => {
    const { run, specOf } = setUp([old()]);
    const { code, stderr } = await run('backup-location set old --credential later=cloud');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'WARNING: Secret velero/later does not exist; the location is unavailable until it does\n',
    });
    expect(specOf('old')?.credential).toEqual({ name: 'later', key: 'cloud' });
  });
});

describe('lateen backup-location get', () => {
  const objects = [
    aBackupStorageLocation({
      name: 'a',
      labels: { 'team.example/tier': 'one', x: 'y' },
      spec: { default: true, objectStorage: { bucket: 'b', prefix: 'p' } },
      status: { lastValidationTime: '2030-01-01T10:00:00Z' },
    }),
    aBackupStorageLocation({
      name: 'bad',
      annotations: { 'lateen.dev/upload-bytes-per-second': '10Mi' },
      phase: 'Unavailable',
      spec: { accessMode: 'ReadOnly', credential: { name: 'keys', key: 'cloud' } },
      status: { message: 'no such\nbucket\u001b[2J' },
    }),
    aBackupStorageLocation({ name: 'fresh', phase: undefined }),
  ];
  const cells = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));

  it('has Velero\u2019s columns, with Unknown before the first validation and ReadWrite by default', async () => {
    const { run } = setUp(objects);
    const { stdout } = await run('backup-location get');
    expect(cells(stdout)).toEqual([
      ['NAME', 'PROVIDER', 'BUCKET/PREFIX', 'PHASE', 'LAST VALIDATED', 'ACCESS MODE', 'DEFAULT'],
      ['a', 'aws', 'b/p', 'Available', '2030-01-01T10:00:00Z', 'ReadWrite', 'true'],
      ['bad', 'aws', 'backups', 'Unavailable', 'Unknown', 'ReadOnly'],
      ['fresh', 'aws', 'backups', 'Unknown', 'Unknown', 'ReadWrite'],
    ]);
    expect((await run('get backup-locations')).stdout).toBe(stdout);
    expect((await run('get backup-location')).stdout).toBe(stdout);
  });

  it('shows labels as columns, or all of them, and with -o wide why a location is unavailable', async () => {
    const { run } = setUp(objects);
    const labels = cells((await run('backup-location get --label-columns team.example/tier --show-labels')).stdout);
    expect(labels.map((row) => row.slice(-2))).toEqual([
      ['TIER', 'LABELS'],
      ['one', 'team.example/tier=one,x=y'],
      ['<none>', '<none>'],
      ['<none>', '<none>'],
    ]);
    const wide = cells((await run('backup-location get bad -o wide')).stdout);
    expect(wide[0]?.slice(-4)).toEqual(['CREDENTIAL', 'UPLOAD LIMIT', 'DOWNLOAD LIMIT', 'MESSAGE']);
    expect(wide[1]?.slice(-4)).toEqual(['keys/cloud', '10Mi', '<none>', 'no such bucket[2J']);
  });

  it('filters by names, labels and default, in each format', async () => {
    const { run } = setUp(objects);
    expect((await run('backup-location get fresh a a -o name')).stdout).toBe(
      'backupstoragelocation/fresh\nbackupstoragelocation/a\n',
    );
    expect((await run('backup-location get backupstoragelocation/a -o name')).stdout).toBe('backupstoragelocation/a\n');
    expect((await run('backup-location get -l x=y -o name')).stdout).toBe('backupstoragelocation/a\n');
    expect((await run('backup-location get --default -o name')).stdout).toBe('backupstoragelocation/a\n');
    expect(JSON.parse((await run('backup-location get a -o json')).stdout)).toMatchObject({ metadata: { name: 'a' } });
    const list = load((await run('backup-location get -o yaml')).stdout);
    expect(list).toMatchObject({ kind: 'List', items: [{ metadata: { name: 'a' } }, {}, {}] });
  });

  it('reports that there is none', async () => {
    const { run } = setUp();
    expect(await run('backup-location get')).toMatchObject({ code: 0, stderr: 'No backup-locations found\n' });
    const { stdout } = await run('backup-location get -o json');
    expect(JSON.parse(stdout)).toEqual({ apiVersion: 'v1', kind: 'List', items: [] });
  });
});

describe('lateen backup-location delete', () => {
  const long = 'l'.repeat(70);
  const objects = () => [
    aBackupStorageLocation({ name: 'a', labels: { tier: 'one' }, spec: { default: true } }),
    aBackupStorageLocation({ name: 'b' }),
    backup('a-1', 'a'),
    backup('a-2', 'a'),
    backup('b-1', 'b'),
    aBackupRepository({ name: 'app-a-kopia', labels: { 'velero.io/storage-location': 'a' } }),
  ];
  const all = ({ cluster }: ReturnType<typeof setUp>) =>
    [backupStorageLocationType, backupType, backupRepositoryType].flatMap((type) =>
      cluster.all<KubeObject>(type).map(({ metadata }) => metadata.name),
    );

  it('deletes the Backups and repositories of the location too, and no others', async () => {
    const world = setUp(objects());
    expect(await world.run('backup-location delete a --confirm')).toEqual({
      code: 0,
      stdout: 'Backup storage location "a" deleted successfully.\nDeleted with it: 2 Backups and 1 BackupRepository.\n',
      stderr: 'WARNING: the default location is deleted\n',
      asked: [],
      connected: true,
    });
    expect(all(world)).toEqual(['b', 'b-1']);
  });

  it.each(['y', 'Y', 'yes'])(
    'asks on a terminal, after it has listed what will be deleted; %s continues',
    async (answer) => {
      const world = setUp(objects());
      const { code, stderr, asked } = await world.run('delete backup-location a', { answer });
      expect(code).toBe(0);
      expect(asked).toEqual(['Are you sure you want to continue (Y/N)? ']);
      expect(stderr).toContain('a (the default), with 2 Backups and 1 BackupRepository; what is in the bucket stays\n');
      expect(all(world)).toEqual(['b', 'b-1']);
    },
  );

  it.each(['n', '', 'yo'])('deletes nothing on the answer %j', async (answer) => {
    const world = setUp(objects());
    const before = all(world);
    expect(await world.run('backup-location delete a', { answer })).toMatchObject({ code: 0, stdout: '' });
    expect(all(world)).toEqual(before);
    expect(world.cluster.calls.filter(({ verb }) => verb === 'delete')).toEqual([]);
  });

  it('deletes all, or all with a label, or reports that there is none', async () => {
    const some = setUp(objects());
    await some.run('backup-location delete -l tier=one --confirm');
    expect(some.names()).toEqual(['b']);
    const every = setUp(objects());
    await every.run('backup-location delete --all --confirm');
    expect(all(every)).toEqual([]);
    expect(await every.run('backup-location delete --all --confirm')).toMatchObject({
      code: 0,
      stdout: 'No backup-locations found\n',
    });
  });

  it('finds the objects of a location whose name is too long for a label', async () => {
    const others = backup('y', 'l');
    const world = setUp([aBackupStorageLocation({ name: long }), backup('x', getValidName(long)), others]);
    const { stdout } = await world.run(`backup-location delete ${long} --confirm`);
    expect(stdout).toContain('Deleted with it: 1 Backup and 0 BackupRepositories.');
    expect(all(world)).toEqual(['y']);
  });

  it('continues after one that cannot be deleted, and reports the failures at the end', async () => {
    const world = setUp(objects());
    world.cluster.failOnce('delete', backupStorageLocationType, 'KUBE_FORBIDDEN');
    const { code, stdout, stderr } = await world.run('backup-location delete a b --confirm');
    expect(code).toBe(1);
    expect(stdout).toBe(
      'Backup storage location "b" deleted successfully.\nDeleted with it: 1 Backup and 0 BackupRepositories.\n',
    );
    expect(stderr).toBe('An error occurred: injected by the test: KUBE_FORBIDDEN\n');
    expect(world.names()).toEqual(['a']);
  });

  it('reports how to finish when objects of the location cannot be deleted', async () => {
    const world = setUp(objects());
    world.cluster.failOnce('delete', backupType, 'KUBE_FORBIDDEN');
    const { code, stderr } = await world.run('backup-location delete a --confirm');
    expect(code).toBe(1);
    expect(stderr).toContain('backup storage location "a" is deleted, but not all that belongs to it');
    expect(stderr).toContain('1 of 2 backups could not be deleted');
    expect(stderr).toContain(
      'Delete the rest with: kubectl delete backups.velero.io,backuprepositories.velero.io -n velero -l velero.io/storage-location=a',
    );
  });
});

describe('help and completion of lateen backup-location', () => {
  it.each(['create', 'get', 'set', 'delete'])('%s has examples', async (verb) => {
    const { run } = setUp();
    const { code, stdout } = await run(`backup-location ${verb} --help`);
    expect(code).toBe(0);
    expect(stdout).toContain(`Examples:\n  lateen backup-location ${verb}`);
  });

  it('is completed', async () => {
    const { run } = setUp([aBackupStorageLocation({ name: 'main' })]);
    expect((await run('__complete backup-location ')).stdout).toMatch(/^create\t.*\nget\t.*\nset\t.*\ndelete\t/);
    expect((await run('__complete get backup-locations m')).stdout).toBe('main\tAvailable\n:4\n');
    expect((await run('__complete backup-location create --p')).stdout).toMatch(/^--provider\t.*\n--prefix\t/);
  });
});
