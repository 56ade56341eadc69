import {
  type Backup,
  type BackupPhase,
  backupPhases,
  backupType,
  type DeleteBackupRequest,
  deleteBackupRequestType,
} from '@lateen/api-types';
import { FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { runForTests } from '../run-for-tests.ts';

const namespace = 'velero';
const backup = (name: string, phase: BackupPhase = 'Completed', labels = {}): Backup => ({
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: { name, namespace, uid: `uid-${name.slice(0, 9)}`, labels },
  spec: {},
  status: { phase },
});

function setUp(...objects: Backup[]) {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects });
  const world = { clock, random: seededRandom(), kube: cluster };
  const run = (words: string, options: Parameters<typeof runForTests>[2] = {}) =>
    runForTests(world, words.split(' '), options);
  const requests = () => cluster.all<DeleteBackupRequest>(deleteBackupRequestType);
  const end = async (name: string, errors: string[] = []) => {
    const [found] = requests().filter(({ spec }) => spec.backupName === name);
    const key = { namespace, name: found?.metadata.name ?? '' };
    if (errors.length === 0) {
      cluster.remove(backupType, { namespace, name });
      cluster.remove(deleteBackupRequestType, key);
    } else
      cluster.change<DeleteBackupRequest>(deleteBackupRequestType, key, (it) => {
        it.status = { phase: 'Processed', errors };
      });
    await cluster.settle();
  };
  const setPhase = async (name: string, phase: BackupPhase) => {
    cluster.change<Backup>(backupType, { namespace, name }, (it) => {
      it.status = { ...it.status, phase };
    });
    await cluster.settle();
  };
  const find = (name: string) => cluster.find<Backup>(backupType, { namespace, name });
  return { cluster, run, requests, end, setPhase, find };
}

const submitted = (name: string) =>
  `Request to delete backup "${name}" submitted successfully.\nThe backup will be fully deleted after all associated data (disk snapshots, backup files, restores) are removed.\n`;

describe('lateen backup delete', () => {
  it('requests it from the controller, as Velero does', async () => {
    const { run, requests } = setUp(backup('a'), backup('b'));
    expect(await run('backup delete a --confirm')).toEqual({
      code: 0,
      stdout: submitted('a'),
      stderr: '',
      asked: [],
      connected: true,
    });
    expect(requests()).toMatchObject([
      {
        metadata: {
          name: expect.stringMatching(/^a-[a-z0-9]{5}$/),
          labels: { 'velero.io/backup-name': 'a', 'velero.io/backup-uid': 'uid-a' },
        },
        spec: { backupName: 'a' },
      },
    ]);
  });

  it('shortens a name that is too long for a label', async () => {
    const long = 'b'.repeat(70);
    const { run, requests } = setUp(backup(long));
    expect((await run(`delete backup ${long} --confirm`)).code).toBe(0);
    expect(requests()[0]?.metadata.labels?.['velero.io/backup-name']).toHaveLength(63);
  });

  it('deletes all, or all with a label, or reports that there is none', async () => {
    const every = setUp(backup('a'), backup('b'));
    await every.run('backup delete --all --confirm');
    expect(every.requests().map(({ spec }) => spec.backupName)).toEqual(['a', 'b']);
    const some = setUp(backup('a', 'Completed', { team: 'x' }), backup('b'));
    await some.run('backup delete -l team=x --confirm');
    expect(some.requests().map(({ spec }) => spec.backupName)).toEqual(['a']);
    expect(await some.run('backup delete -l team=y --confirm')).toMatchObject({
      code: 0,
      stdout: 'No backups found\n',
    });
  });

  it.each([
    ['y', 1],
    ['Y', 1],
    ['n', 0],
    ['', 0],
  ])('asks on a terminal after it has listed what will be deleted; %j', async (answer, count) => {
    const { run, requests } = setUp(backup('a', 'PartiallyFailed'));
    const { stderr, asked } = await run('backup delete a', { answer });
    expect(asked).toEqual(['Are you sure you want to continue (Y/N)? ']);
    expect(stderr).toContain('a (PartiallyFailed), with all that was stored for it\n');
    expect(requests()).toHaveLength(count);
  });

  it('with --wait waits until all are gone', async () => {
    const { run, cluster, end } = setUp(backup('a'), backup('b'));
    const ran = run('backup delete a b --confirm --wait');
    await cluster.settle();
    await end('b');
    await end('a');
    expect(await ran).toMatchObject({
      code: 0,
      stdout: `${submitted('a')}${submitted('b')}Backup "b" deleted.\nBackup "a" deleted.\n`,
    });
    expect(cluster.openWatches).toBe(0);
  });

  it('with --wait reports why one cannot be deleted, and waits for the others', async () => {
    const { run, cluster, end } = setUp(backup('a'), backup('b'));
    const ran = run('backup delete a b --confirm -w');
    await cluster.settle();
    await end('a', ['bucket is read-only', 'snapshot\ngone']);
    await end('b');
    const { code, stdout, stderr } = await ran;
    expect(code).toBe(1);
    expect(stdout).toMatch(/Backup "b" deleted\.\n$/);
    expect(stderr).toBe(
      'An error occurred: backup "a" could not be deleted: bucket is read-only; snapshot gone. When the cause is corrected, delete it again with: lateen backup delete a\n',
    );
  });

  it('with --wait waits for the requests that could be created, and ends on Ctrl-C', async () => {
    const { run, cluster, end } = setUp(backup('a'), backup('b'));
    cluster.failOnce('create', deleteBackupRequestType, 'KUBE_FORBIDDEN');
    const ran = run('backup delete a b --confirm --wait');
    await cluster.settle();
    await end('b');
    expect(await ran).toMatchObject({ code: 1, stderr: expect.stringContaining('KUBE_FORBIDDEN') });
    const stop = new AbortController();
    const stopped = run('backup delete a --confirm --wait', { signal: stop.signal });
    await cluster.settle();
    stop.abort(new Error('Ctrl-C'));
    expect(await stopped).toMatchObject({
      code: 1,
      stderr: 'stopped waiting; the operation continues in the cluster. List what is left with: lateen backup get\n',
    });
    expect(cluster.openWatches).toBe(0);
  });
});

describe('lateen backup cancel', () => {
  const over: BackupPhase[] = ['FailedValidation', 'Completed', 'PartiallyFailed', 'Failed', 'Canceled', 'Deleting'];
  it.each(backupPhases)('of one in phase %s', async (phase) => {
    const { run, find } = setUp(backup('a', phase));
    const { code, stdout } = await run('backup cancel a --confirm');
    const isOver = over.includes(phase);
    expect([code, stdout]).toEqual([0, `backup/a ${isOver ? `has ended already: ${phase}` : 'is being canceled'}\n`]);
    expect(find('a')?.spec.cancel).toBe(isOver ? undefined : true);
  });

  it('with --wait reports how each has ended, and fails for one that ended before', async () => {
    const { run, cluster, setPhase } = setUp(backup('a', 'InProgress'), backup('b', 'Queued'), backup('c', 'New'));
    const ran = run('backup cancel a b --confirm --wait');
    await cluster.settle();
    await setPhase('a', 'Canceled');
    await setPhase('b', 'Completed');
    expect(await ran).toMatchObject({
      code: 1,
      stdout: 'backup/a is being canceled\nbackup/b is being canceled\nbackup/a Canceled\nbackup/b Completed\n',
      stderr: 'An error occurred: backup "b" has ended before it was canceled: Completed\n',
    });
  });

  it('cancels all that run, and reports when none does', async () => {
    const { run, find } = setUp(backup('a', 'InProgress'), backup('b'), backup('c', 'Queued', { x: 'y' }));
    await run('backup cancel -l x=y --confirm');
    expect([find('a'), find('b'), find('c')].map((each) => each?.spec.cancel)).toEqual([undefined, undefined, true]);
    await run('backup cancel --all --confirm');
    expect([find('a'), find('b')].map((each) => each?.spec.cancel)).toEqual([true, undefined]);
    expect(await setUp(backup('b')).run('backup cancel --all --confirm')).toMatchObject({
      code: 0,
      stderr: 'No backup runs or waits that could be canceled.\n',
    });
  });

  it('asks on a terminal, and fails without an answer or with a no', async () => {
    const { run, find } = setUp(backup('a', 'InProgress'));
    expect(await run('backup cancel a', { answer: 'n' })).toMatchObject({ code: 1, asked: ['Cancel it? (y/N) '] });
    expect(await run('backup cancel a')).toMatchObject({ code: 1 });
    expect(find('a')?.spec.cancel).toBeUndefined();
    await run('backup cancel a', { answer: 'y' });
    expect(find('a')?.spec.cancel).toBe(true);
  });

  it("reports when the API drops the request, as Velero's does", async () => {
    const { run, cluster } = setUp(backup('a', 'InProgress'));
    const { patch } = cluster;
    Object.assign(cluster, {
      patch: async (...args: Parameters<typeof patch>) => {
        const patched = (await patch(...args)) as unknown as Backup;
        return { ...patched, spec: {} };
      },
    });
    expect((await run('backup cancel a --confirm')).stderr).toBe(
      'An error occurred: backup "a" cannot be canceled: the Backup kind of this cluster has no spec.cancel. The API is that of Velero; "lateen install" installs that of Lateen.\n',
    );
  });
});
