import type { Backup, BackupStatus } from '@lateen/api-types';
import { FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { runForTests } from '../run-for-tests.ts';

const namespace = 'velero';
const backup = (name: string, status?: BackupStatus, spec: Backup['spec'] = {}, labels = {}): Backup => ({
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: { name, namespace, labels },
  spec,
  ...(status === undefined ? {} : { status }),
});

const backups = [
  backup('nightly-20300101010000', {
    phase: 'Completed',
    startTimestamp: '2030-01-01T01:00:00Z',
    expiration: '2030-01-31T01:00:00Z',
    completionTimestamp: '2030-01-01T01:00:09Z',
    progress: { totalItems: 90, itemsBackedUp: 90 },
    backupItemOperationsAttempted: 3,
    backupItemOperationsCompleted: 2,
    backupItemOperationsFailed: 1,
  }),
  backup('nightly-20300102010000', { phase: 'Queued', queuePosition: 2 }),
  backup('nightly-2', undefined, { storageLocation: 'offsite' }, { team: 'shop' }),
  backup(
    'bad',
    {
      phase: 'PartiallyFailed',
      errors: 2,
      warnings: 1,
      startTimestamp: '2029-12-01T00:00:00Z',
      expiration: '2030-01-01T21:00:00Z',
      failureReason: 'no such\nbucket',
      progress: { totalItems: 10, itemsBackedUp: 4 },
    },
    { labelSelector: { matchLabels: { app: 'shop' } } },
  ),
  backup('or', { phase: 'New' }, { orLabelSelectors: [{ matchLabels: { a: 'b' } }, { matchLabels: { c: 'd' } }] }),
];

function setUp(objects = backups) {
  const clock = new FakeClock('2030-01-02T00:00:00Z');
  const cluster = fakeCluster({ clock, objects });
  const world = { clock, random: seededRandom(), kube: cluster };
  return { run: (words: string) => runForTests(world, words.split(' ')) };
}

/** Splits lines at the columns of the headers, because some cells are empty. */
function cells(text: string): string[][] {
  const [head = '', ...rows] = text.trimEnd().split('\n');
  const starts = [...head.matchAll(/(?<=^| {2})\S/g)].map(({ index }) => index);
  return [head, ...rows].map((line) => starts.map((start, at) => line.slice(start, starts[at + 1]).trim()));
}

describe('lateen backup get', () => {
  it('has Velero\u2019s columns, sorted by name, and for one schedule the newest first', async () => {
    const { run } = setUp();
    const { stdout } = await run('backup get');
    expect(cells(stdout)).toEqual([
      ['NAME', 'STATUS', 'ERRORS', 'WARNINGS', 'CREATED', 'EXPIRES', 'STORAGE LOCATION', 'QUEUE POSITION', 'SELECTOR'],
      ['bad', 'PartiallyFailed', '2', '1', '2029-12-01T00:00:00Z', '3h ago', '', '', 'app=shop'],
      ['nightly-20300102010000', 'Queued', '0', '0', '<nil>', 'n/a', '', '2', '<none>'],
      ['nightly-20300101010000', 'Completed', '0', '0', '2030-01-01T01:00:00Z', '29d', '', '', '<none>'],
      ['nightly-2', 'New', '0', '0', '<nil>', 'n/a', 'offsite', '', '<none>'],
      ['or', 'New', '0', '0', '<nil>', 'n/a', '', '', 'a=b or c=d'],
    ]);
    expect((await run('get backups')).stdout).toBe(stdout);
    expect((await run('get backup')).stdout).toBe(stdout);
  });

  it('shows with -o wide the progress of each, and why it failed', async () => {
    const { run } = setUp();
    const rows = cells((await run('backup get bad nightly-20300101010000 -o wide')).stdout);
    expect(rows.map((row) => row.slice(-4))).toEqual([
      ['ITEMS', 'OPERATIONS', 'COMPLETED', 'CAUSE'],
      ['4/10', '', '', 'no such bucket'],
      ['90', '2/3, 1 failed', '2030-01-01T01:00:09Z', ''],
    ]);
  });

  it('selects by names and labels, in each format', async () => {
    const { run } = setUp();
    expect((await run('backup get or backups/bad -o name')).stdout).toBe('backup/or\nbackup/bad\n');
    expect((await run('backup get -l team=shop -o name')).stdout).toBe('backup/nightly-2\n');
    expect(JSON.parse((await run('backup get bad -o json')).stdout)).toMatchObject({ metadata: { name: 'bad' } });
    expect((await run('backup get -o yaml')).stdout).toMatch(/^apiVersion: v1\nkind: List\n/);
    expect(await run('backup get none bad nil')).toMatchObject({
      code: 1,
      stderr: 'An error occurred: [backups.velero.io "none" not found, backups.velero.io "nil" not found]\n',
    });
  });

  it('reports that there is none', async () => {
    const { run } = setUp([]);
    expect(await run('backup get')).toMatchObject({ code: 0, stderr: 'No backups found\n' });
  });
});
