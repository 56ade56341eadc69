import { stripVTControlCharacters } from 'node:util';
import {
  type Backup,
  type BackupStatus,
  backupType,
  type CoreEvent,
  type DataUpload,
  dataUploadType,
  eventType,
} from '@lateen/api-types';
import { aBackupStorageLocation, aDataUpload, FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { betweenDrawsMs, waitForTests } from '../run/wait-for-tests.ts';

const namespace = 'velero';
const key = { namespace, name: 'b' };
const GiB = 1024 ** 3;

/** A command that waits, while the test acts as the controller. */
function setUp({ isTTY = false, columns = 120, rows = 40 } = {}) {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const other = (name: string, status: BackupStatus): Backup => ({
    apiVersion: 'velero.io/v1',
    kind: 'Backup',
    metadata: { name, namespace },
    spec: {},
    status,
  });
  const cluster = fakeCluster({
    clock,
    objects: [
      aBackupStorageLocation(),
      other('full', { phase: 'InProgress' }),
      other('waits', { phase: 'Queued', queuePosition: 1 }),
      other('old', { phase: 'Completed' }),
    ],
  });
  const run = { type: backupType, key, words: ['backup', 'create', 'b', '--wait'] };
  const waits = waitForTests({ clock, random: seededRandom(), cluster }, run, { isTTY, columns, rows });
  const upload = async (pvc: string, parts: NonNullable<DataUpload['status']>) => {
    const spec = { sourceNamespace: 'shop', sourcePVC: pvc };
    const labels = { 'velero.io/backup-name': 'b' };
    await waits.beside(dataUploadType, { ...aDataUpload({ name: `b-${pvc}`, spec, labels }) }, parts);
  };
  const warn = async (reason: string, message: string) => {
    const uid = cluster.find<Backup>(backupType, key)?.metadata.uid ?? '';
    const event: CoreEvent = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace, name: `e-${reason.toLowerCase()}` },
      involvedObject: { kind: 'Backup', namespace, name: 'b', uid },
      reason,
      message,
      type: 'Warning',
      lastTimestamp: '2030-01-01T00:00:00Z',
    };
    await cluster.create(eventType, event);
    await cluster.settle();
    await clock.advance(betweenDrawsMs);
  };
  return { clock, cluster, upload, warn, ...waits };
}

const waiting =
  'Backup request "b" submitted successfully.\nWaiting for backup to complete. You may safely press ctrl-c to stop waiting - your backup will continue in the background.\n';
const completed = (phase: string) =>
  `Backup completed with status: ${phase}. You may check for more information using the commands \`lateen backup describe b\` and \`lateen backup logs b\`.\n`;

describe('lateen backup create --wait without a terminal', () => {
  it('prints each change once, from the queue to the end', async () => {
    const { cluster, clock, ended, status, upload, warn, said, out } = setUp();
    const end = ended();
    await cluster.settle();
    expect(said()).toBe('b  New\n');
    await status({ phase: 'Queued', queuePosition: 2 });
    await clock.advance(betweenDrawsMs);
    expect(said()).toBe('b  Queued  position 2\nb  Queued  position 2, behind full, which runs and 1 that waits\n');
    await status({ phase: 'ReadyToStart', queuePosition: 0 });
    await status({ phase: 'InProgress', startTimestamp: '2030-01-01T00:00:00Z' });
    expect(said()).toBe('b  ReadyToStart\nb  InProgress\n');
    await status({ progress: { totalItems: 12_000, itemsBackedUp: 10 } });
    expect(said()).toBe('b  items: 10 of 12,000\n');
    await clock.advance(1_000);
    await status({ progress: { totalItems: 12_000, itemsBackedUp: 1_010 } });
    expect(said()).toBe('');
    await clock.advance(8_000);
    await status({ progress: { totalItems: 12_000, itemsBackedUp: 9_010 } });
    expect(said()).toBe('');
    await clock.advance(2_000);
    expect(said()).toMatch(/^b {2}items: 9,010 of 12,000 {2}\d+\/s {2}[\d.]+s left\n$/);
    await upload('data', { phase: 'Accepted' });
    await warn('SnapshotSlow', 'the CSI driver\ntakes long');
    expect(said()).toBe(
      'b  volume shop/data  New\nb  volume shop/data  Accepted\nb  WARNING: SnapshotSlow: the CSI driver takes long\n',
    );
    await upload('data', {
      phase: 'InProgress',
      startTimestamp: '2030-01-01T00:00:10Z',
      progress: { bytesDone: 0, totalBytes: 4 * GiB },
    });
    await clock.advance(5_000);
    await upload('data', { progress: { bytesDone: GiB, totalBytes: 4 * GiB } });
    expect(said()).toBe('b  volume shop/data  InProgress  0 B of 4 GiB\n');
    await status({
      phase: 'WaitingForPluginOperations',
      progress: { totalItems: 12_000, itemsBackedUp: 12_000 },
      backupItemOperationsAttempted: 1,
    });
    expect(said()).toBe('b  WaitingForPluginOperations\nb  items: 12,000\nb  operations: 0 of 1 done\n');
    await clock.advance(5_000);
    await upload('data', { progress: { bytesDone: 2 * GiB, totalBytes: 4 * GiB } });
    expect(said()).toBe('b  volume shop/data  InProgress  2 GiB of 4 GiB\n');
    await upload('data', { phase: 'Completed', progress: { bytesDone: 4 * GiB, totalBytes: 4 * GiB } });
    await status({ phase: 'Finalizing', backupItemOperationsCompleted: 1 });
    await status({ phase: 'Completed' });
    expect(await end).toBe(0);
    expect(said()).toBe(
      'b  volume shop/data  Completed  4 GiB\nb  Finalizing\nb  operations: 1 of 1 done\nb  Completed\n',
    );
    expect(out.join('')).toBe(`${waiting}${completed('Completed')}`);
    expect(cluster.openWatches).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['Completed', 0, 0],
    ['PartiallyFailed', 0, 3],
    ['Failed', 0, 4],
    ['FailedValidation', 0, 4],
    ['Canceled', 0, 4],
    ['Deleting', 0, 4],
  ] as const)(
    'exits as Velero when it ends %s, and with --exit-code according to its end',
    async (phase, plain, asked) => {
      const failureReason = 'no such\nbucket';
      for (const [flags, code] of [
        [[], plain],
        [['--exit-code'], asked],
      ] as const) {
        const { cluster, ended, status, said, out } = setUp();
        const end = ended(...flags);
        await cluster.settle();
        await status({ phase, failureReason });
        expect(await end).toBe(code);
        expect(out.join('')).toBe(`${waiting}${completed(phase)}`);
        expect(said()).toBe(`b  New\nb  ${phase}\n${code === 0 ? '' : `backup "b" is ${phase}: no such bucket\n`}`);
      }
    },
  );

  it.each(['at once', 'while it is listed', 'before its watch begins', 'while a lost watch is begun again'])(
    'exits according to the end of a backup that fails %s',
    async (when) => {
      const { cluster, clock, ended, said } = setUp();
      let isOver = false;
      const fail = () => {
        if (isOver) return;
        isOver = true;
        cluster.change<Backup>(backupType, key, (it) => {
          it.status = { phase: 'Failed', failureReason: 'backup already exists in object storage' };
        });
      };
      let watches = 0;
      cluster.intercept(async (call, next) => {
        if (call.type.resource !== 'backups') return await next();
        if (when === 'while it is listed' && call.verb === 'list') fail();
        if (when === 'before its watch begins' && call.verb === 'watch') fail();
        if (when === 'while a lost watch is begun again' && call.verb === 'watch' && watches++ > 0) fail();
        const answer = await next();
        if (when === 'at once' && call.verb === 'create') fail();
        return answer;
      });
      const end = ended('--exit-code');
      await cluster.settle();
      cluster.closeWatches({});
      await clock.advance(60_000);
      expect(await end).toBe(4);
      expect(said()).toMatch(/b {2}Failed\nbackup "b" is Failed: backup already exists in object storage\n$/);
      expect([clock.pending, cluster.openWatches]).toEqual([0, 0]);
    },
  );

  it('does not follow another backup with the same name', async () => {
    const { cluster, clock, ended, said } = setUp();
    const end = ended('--exit-code');
    await cluster.settle();
    said();
    const other: Backup = {
      apiVersion: 'velero.io/v1',
      kind: 'Backup',
      metadata: { ...key, uid: 'another' },
      spec: {},
      status: { phase: 'Completed' },
    };
    cluster.closeWatches({}).remove(backupType, key).put(other).compact();
    await clock.advance(60_000);
    expect(await end).toBe(1);
    expect(said()).toBe('An error occurred: backup "b" was deleted before it ended\n');
  });

  it('reports when no controller starts it', async () => {
    const { cluster, clock, stop, ended, said } = setUp();
    const end = ended();
    await cluster.settle();
    await clock.advance(31_000);
    expect(said()).toBe(
      'b  New\nb  New  no controller has started to work on it yet; check that it runs: kubectl get pods\n',
    );
    stop.abort(new Error('Ctrl-C'));
    await end;
  });

  it('continues without Events and uploads when they may not be read', async () => {
    const { cluster, ended, status, said } = setUp();
    cluster.failOnce('list', eventType, 'KUBE_FORBIDDEN');
    cluster.failOnce('list', dataUploadType, 'KUBE_FORBIDDEN');
    const end = ended();
    await cluster.settle();
    await status({ phase: 'Completed' });
    expect(await end).toBe(0);
    expect(said()).toBe('b  New\nb  Completed\n');
  });

  it('ends with an error when the Backup is deleted, and on Ctrl-C, which does not cancel it', async () => {
    const gone = setUp();
    const deleted = gone.ended();
    await gone.cluster.settle();
    gone.cluster.remove(backupType, key);
    await gone.cluster.settle();
    expect(await deleted).toBe(1);
    expect(gone.said()).toBe('b  New\nAn error occurred: backup "b" was deleted before it ended\n');
    const stopped = setUp();
    const end = stopped.ended();
    await stopped.cluster.settle();
    stopped.stop.abort(new Error('Ctrl-C'));
    expect(await end).toBe(1);
    expect(stopped.said()).toBe(
      'b  New\nstopped waiting; backup "b" continues. See its state with: lateen backup get b; end it with: lateen backup cancel b\n',
    );
    expect(stopped.cluster.find<Backup>(backupType, key)?.spec.cancel).toBeUndefined();
  });
});

describe('lateen backup create --wait on a terminal', () => {
  it('redraws items, volumes with bars, rates and time left', async () => {
    const { cluster, clock, ended, status, upload, warn, said } = setUp({ isTTY: true });
    const end = ended();
    await cluster.settle();
    await status({ phase: 'InProgress', startTimestamp: '2030-01-01T00:00:00Z', backupItemOperationsAttempted: 2 });
    await status({ progress: { totalItems: 4_000, itemsBackedUp: 0 } });
    await clock.advance(2_000);
    await status({ progress: { totalItems: 4_000, itemsBackedUp: 1_000 } });
    const startTimestamp = '2030-01-01T00:00:00Z';
    await upload('data', { phase: 'InProgress', startTimestamp, progress: { bytesDone: GiB, totalBytes: 4 * GiB } });
    await upload('logs', { phase: 'Failed', message: 'repository is locked' });
    await upload('queue', { phase: 'Accepted' });
    await warn('SnapshotSlow', 'the CSI driver takes long');
    await clock.advance(1_100);
    const drawn = stripVTControlCharacters(said());
    expect(drawn).toMatch(/Items +█████░+ 25 % {2}1,000 of 4,000 {2}\d+\/s {2}[\d.]+s left/);
    expect(drawn).toMatch(/shop\/data +InProgress +█████░+ 25 % {2}1 GiB of 4 GiB/);
    expect(drawn).toMatch(/shop\/logs +Failed +repository is locked/);
    expect(drawn).toContain('WARNING: SnapshotSlow: the CSI driver takes long');
    await status({ phase: 'Completed' });
    expect(await end).toBe(0);
    expect(stripVTControlCharacters(said())).toContain('b  Completed');
    expect([clock.pending, cluster.openWatches]).toEqual([0, 0]);
  });

  it.each([
    [40, 40],
    [80, 6],
    [20, 3],
  ])('fits into %d columns and %d rows', async (columns, rows) => {
    const { cluster, clock, ended, status, upload, said } = setUp({ isTTY: true, columns, rows });
    const end = ended();
    await cluster.settle();
    await status({ phase: 'InProgress', progress: { totalItems: 4_000, itemsBackedUp: 10 } });
    for (const pvc of ['a', 'b', 'c', 'd', 'e'])
      await upload(`${pvc}-with-a-name-that-is-long`, { phase: 'Failed', message: 'x'.repeat(300) });
    await clock.advance(1_100);
    const lines = stripVTControlCharacters(said()).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(columns);
    await status({ phase: 'Completed' });
    expect(await end).toBe(0);
  });
});
