import { type Schedule, type ScheduleSpec, scheduleType } from '@lateen/api-types';
import { aBackupStorageLocation, FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { runForTests } from '../run-for-tests.ts';

const namespace = 'velero';

function schedule(name: string, spec: Partial<ScheduleSpec> = {}, parts: Partial<Schedule> = {}): Schedule {
  const { metadata, ...rest } = parts;
  return {
    apiVersion: 'velero.io/v1',
    kind: 'Schedule',
    metadata: { name, namespace, creationTimestamp: '2029-12-01T00:00:00Z', ...metadata },
    spec: { schedule: '0 1 * * *', template: {}, ...spec },
    ...rest,
  };
}

function setUp(...objects: Schedule[]) {
  const clock = new FakeClock('2030-01-02T00:00:00Z');
  const cluster = fakeCluster({ clock, objects: [aBackupStorageLocation(), ...objects] });
  const world = { clock, random: seededRandom(), kube: cluster };
  const run = (words: readonly string[], options: Parameters<typeof runForTests>[2] = {}) =>
    runForTests(world, words, options);
  const find = (name: string) => cluster.find<Schedule>(scheduleType, { namespace, name });
  const names = () => cluster.all<Schedule>(scheduleType).map(({ metadata }) => metadata.name);
  return { cluster, run, find, names };
}

describe('lateen schedule create', () => {
  const everywhere = { includedNamespaces: ['*'] };
  const daily = { schedule: '@daily', template: everywhere, useOwnerReferencesInBackup: false };
  it.each<[string[], ScheduleSpec]>([
    [[], daily],
    [['--use-owner-references-in-backup'], { ...daily, useOwnerReferencesInBackup: true }],
    [['--paused'], { ...daily, paused: true }],
    [['--paused=false'], daily],
    [['--skip-immediately'], { ...daily, skipImmediately: true }],
    [['--skip-immediately=false'], { ...daily, skipImmediately: false }],
    [
      [
        '--include-namespaces',
        'shop',
        '--ttl',
        '24h',
        '--snapshot-move-data',
        '-l',
        'a=b',
        '--storage-location',
        'default',
      ],
      {
        ...daily,
        template: {
          includedNamespaces: ['shop'],
          ttl: '24h',
          snapshotMoveData: true,
          labelSelector: { matchLabels: { a: 'b' } },
          storageLocation: 'default',
        },
      },
    ],
  ])('%j', async (flags, spec) => {
    const { run, find } = setUp();
    const said = { code: 0, stdout: 'Schedule "nightly" created successfully.\n', stderr: '' };
    expect(await run(['schedule', 'create', 'nightly', '--schedule', '@daily', ...flags])).toMatchObject(said);
    expect(find('nightly')?.spec).toEqual(spec);
    const other = setUp();
    expect(await other.run(['create', 'schedule', 'nightly', '--schedule', '@daily', ...flags])).toMatchObject(said);
    expect(other.find('nightly')?.spec).toEqual(spec);
  });

  it.each(['0 1 * * *', '@every 6h', 'CRON_TZ=Europe/Berlin 30 2 * * *', 'TZ=UTC @hourly'])(
    'accepts %j',
    async (text) => {
      const { run, find } = setUp();
      expect((await run(['schedule', 'create', 'a', '--schedule', text])).code).toBe(0);
      expect(find('a')?.spec.schedule).toBe(text);
    },
  );

  it('stores labels, annotations, retention and jitter on the schedule', async () => {
    const { run, find } = setUp();
    const flags = ['--labels', 'a=b', '--annotations', 'why=x', '--keep-at-least', '7', '--jitter', '20m'];
    await run(['schedule', 'create', 'nightly', '--schedule', '@daily', ...flags]);
    expect(find('nightly')?.metadata).toMatchObject({
      labels: { a: 'b' },
      annotations: { why: 'x', 'lateen.dev/keep-at-least': '7', 'lateen.dev/jitter': '20m' },
    });
  });

  it('with -o prints the object and does not create it', async () => {
    const { run, cluster } = setUp();
    const { stdout } = await run(['schedule', 'create', 'nightly', '--schedule', '@daily', '-o', 'yaml']);
    expect(load(stdout)).toEqual({
      apiVersion: 'velero.io/v1',
      kind: 'Schedule',
      metadata: { name: 'nightly', namespace },
      spec: daily,
    });
    expect(cluster.calls).toEqual([]);
  });
});

const shown = [
  schedule(
    'nightly',
    {
      template: { ttl: '24h0m0s', includedNamespaces: ['shop'], labelSelector: { matchLabels: { app: 'shop' } } },
      useOwnerReferencesInBackup: true,
      skipImmediately: false,
    },
    {
      metadata: { annotations: { 'lateen.dev/keep-at-least': '7' }, labels: { team: 'shop' } },
      status: { phase: 'Enabled', lastBackup: '2030-01-01T01:00:00Z', lastSkipped: '2029-12-31T01:00:00Z' },
    },
  ),
  schedule('paused', { paused: true, schedule: '@every 6h' }),
  schedule(
    'bad',
    { schedule: '61 * * * *' },
    { status: { phase: 'FailedValidation', validationErrors: ['invalid\nschedule'] } },
  ),
];

describe('lateen schedule get', () => {
  const cells = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));

  it('has Velero\u2019s columns', async () => {
    const { run } = setUp(...shown);
    const { stdout } = await run(['schedule', 'get']);
    expect(cells(stdout)).toEqual([
      ['NAME', 'STATUS', 'CREATED', 'SCHEDULE', 'BACKUP TTL', 'LAST BACKUP', 'SELECTOR', 'PAUSED'],
      ['bad', 'FailedValidation', '2029-12-01T00:00:00Z', '61 * * * *', '0s', 'n/a', '<none>', 'false'],
      ['nightly', 'Enabled', '2029-12-01T00:00:00Z', '0 1 * * *', '24h0m0s', '23h ago', 'app=shop', 'false'],
      ['paused', 'New', '2029-12-01T00:00:00Z', '@every 6h', '0s', 'n/a', '<none>', 'true'],
    ]);
    expect((await run(['get', 'schedules'])).stdout).toBe(stdout);
  });

  it('shows with -o wide when each runs next and what is wrong', async () => {
    const { run } = setUp(...shown);
    const [head, bad, nightly] = cells((await run(['schedule', 'get', '-o', 'wide'])).stdout);
    expect(head?.slice(-4)).toEqual(['NEXT BACKUP', 'KEEP AT LEAST', 'JITTER', 'MESSAGE']);
    expect(bad?.at(-1)).toBe('invalid schedule');
    expect(nightly?.slice(-2)).toEqual(['2030-01-02T01:00:00Z', '7']);
  });

  it('selects, in each format, and reports when there is none', async () => {
    const { run } = setUp(...shown);
    expect((await run(['schedule', 'get', '-l', 'team=shop', '-o', 'name'])).stdout).toBe('schedule/nightly\n');
    expect((await run(['schedule', 'get', 'schedule/bad', '-o', 'name'])).stdout).toBe('schedule/bad\n');
    expect((await run(['schedule', 'get', 'none'])).stderr).toBe(
      'An error occurred: schedules.velero.io "none" not found\n',
    );
    expect(await setUp().run(['schedule', 'get'])).toMatchObject({ code: 0, stderr: 'No schedules found\n' });
  });
});

describe('lateen schedule describe', () => {
  it.each(['nightly', 'paused', 'bad'])('%s', async (name) => {
    const { stdout } = await setUp(...shown).run(['schedule', 'describe', name]);
    await expect(stdout).toMatchFileSnapshot(`testdata/${name}.txt`);
    expect(stdout).not.toMatch(/undefined|\[object|[^\S\n]\n|\n\n\n/);
  });
  it('describes several', async () => {
    const { stdout } = await setUp(...shown).run(['describe', 'schedules']);
    expect(stdout.match(/^Name:.*$/gm)).toHaveLength(3);
  });
});

describe('lateen schedule delete', () => {
  it('deletes what is named, all, or those with a label', async () => {
    const one = setUp(...shown);
    expect(await one.run(['schedule', 'delete', 'bad', '--confirm'])).toMatchObject({
      code: 0,
      stdout: 'Schedule deleted: bad\n',
    });
    expect(one.names()).toEqual(['nightly', 'paused']);
    await one.run(['delete', 'schedule', '-l', 'team=shop', '--confirm']);
    expect(one.names()).toEqual(['paused']);
    await one.run(['schedule', 'delete', '--all', '--confirm']);
    expect(one.names()).toEqual([]);
    expect((await one.run(['schedule', 'delete', '--all', '--confirm'])).stdout).toBe('No schedules found\n');
  });
  it('asks, and says what happens to the backups', async () => {
    const { run, names } = setUp(...shown);
    const { stderr } = await run(['schedule', 'delete', 'nightly', 'bad'], { answer: 'n' });
    expect(stderr).toBe('nightly; its backups go with it\nbad; its backups stay\nNothing was deleted.\n');
    expect(names()).toHaveLength(3);
  });
});

describe('lateen schedule pause and unpause', () => {
  it('pauses and unpauses, in Velero\u2019s words', async () => {
    const { run, find } = setUp(...shown);
    expect((await run(['schedule', 'pause', 'nightly', 'paused'])).stdout).toBe(
      'Schedule nightly paused successfully\nSchedule paused is already paused, skip\n',
    );
    expect(find('nightly')?.spec.paused).toBe(true);
    expect((await run(['schedule', 'unpause', '--all', '--skip-immediately'])).stdout).toBe(
      'Schedule bad is already unpaused, skip\nSchedule nightly unpaused successfully\nSchedule paused unpaused successfully\n',
    );
    expect(find('nightly')?.spec).toMatchObject({ paused: false, skipImmediately: true });
    expect(find('bad')?.spec.skipImmediately).toBeUndefined();
    await run(['schedule', 'pause', '-l', 'team=shop']);
    expect([find('nightly'), find('paused')].map((each) => each?.spec.paused)).toEqual([true, false]);
    expect((await run(['schedule', 'pause', '-l', 'team=none'])).stdout).toBe('No schedules found\n');
  });
  it('continues after one that cannot be changed', async () => {
    const { run, cluster, find } = setUp(...shown);
    cluster.failOnce('patch', scheduleType, 'KUBE_FORBIDDEN');
    const { code, stdout } = await run(['schedule', 'pause', '--all']);
    expect([code, stdout]).toEqual([
      1,
      'Schedule nightly paused successfully\nSchedule paused is already paused, skip\n',
    ]);
    expect(find('bad')?.spec.paused).toBeUndefined();
  });
});
