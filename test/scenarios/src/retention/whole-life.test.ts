import {
  backupStorageLocationType,
  backupType,
  deleteBackupRequestType,
  type Restore,
  restoreType,
  type Schedule,
  scheduleType,
} from '@lateen/api-types';
import { builtInActions } from '@lateen/item-actions';
import { informer, withSpecOr } from '@lateen/kube-runtime';
import { runRetentionControllers } from '@lateen/retention';
import { backupIndexers, runScheduleController } from '@lateen/schedule';
import { runSyncController } from '@lateen/sync';
import { aConfigMap, seededRandom } from '@lateen/testing';
import { expect, it, onTestFinished } from 'vitest';
import { BackupWorld, namespace } from '../backup/backup-world.ts';
import { AtWork, PatientTime } from '../buckets/at-work.ts';

const hourMs = 3_600_000;

/** All controllers of backups in one process, as in the app. */
function world() {
  const backupWorld = new BackupWorld({
    objects: [aConfigMap({ namespace: 'shop', name: 'settings', data: { a: 'b' } })],
  });
  const { cluster, clock, store, log } = backupWorld;
  const stop = new AbortController();
  const atWork = new AtWork();
  backupWorld.start();
  const base = { kube: cluster, clock, random: seededRandom(11), log, metrics: atWork.metrics };
  const informed = { ...base, api: cluster, namespace };
  const backups = informer({ ...informed, type: backupType, indexers: backupIndexers });
  const restores = informer({ ...informed, type: restoreType, transform: withSpecOr<Restore>(() => ({})) });
  const locations = informer({ ...informed, type: backupStorageLocationType });
  const openStore = () => ({ ...store, close: async () => {} });
  const options = {
    ...base,
    namespace,
    identity: 'c',
    backups,
    restores,
    locations,
    listAccountKey: async () => undefined,
    openStore,
    ...backupWorld.native,
  };
  const running = Promise.all([
    backups.run(stop.signal),
    restores.run(stop.signal),
    locations.run(stop.signal),
    runScheduleController(options, stop.signal),
    runSyncController(options, stop.signal),
    runRetentionControllers(
      {
        ...options,
        deleteActions: builtInActions({ csi: true }).delete,
        settingsOf: async () => ({ keepLatestMaintenanceJobs: 3 }),
      },
      stop.signal,
    ),
  ]);
  onTestFinished(async () => {
    atWork.end();
    stop.abort(new Error('the test is over'));
    await running;
    await backupWorld.end();
  });
  const calls = () => cluster.calls.length + store.calls.length;
  const unended = () =>
    cluster
      .look(backupType)
      .some(
        ({ status }) => status?.phase === undefined || status.phase === 'InProgress' || status.phase === 'Finalizing',
      );
  const time = new PatientTime(clock, () => atWork.isBusy || unended(), calls);
  return { backupWorld, cluster, run: (ms: number) => time.run(ms) };
}

it('backups of a schedule are stored, kept for their TTL, and deleted with all their files', async () => {
  const { backupWorld, cluster, run } = world();
  await cluster.create<Schedule>(scheduleType, {
    apiVersion: 'velero.io/v1',
    kind: 'Schedule',
    metadata: { name: 'hourly', namespace },
    spec: { schedule: '0 * * * *', template: { ttl: '2h30m0s', includedNamespaces: ['shop'] } },
  });
  await run(3 * hourMs + 60_000);
  const phases = () => cluster.all(backupType).map(({ metadata, status }) => `${metadata.name} ${status?.phase}`);
  expect(phases()).toEqual([
    'hourly-20300101010000 Completed',
    'hourly-20300101020000 Completed',
    'hourly-20300101030000 Completed',
  ]);
  await run(3 * hourMs);
  expect(phases()).toEqual([
    'hourly-20300101040000 Completed',
    'hourly-20300101050000 Completed',
    'hourly-20300101060000 Completed',
  ]);
  const directories = new Set(
    [...backupWorld.bucket.objects.keys()].map((key) => key.split('/').slice(0, 2).join('/')),
  );
  expect([...directories].sort()).toEqual([4, 5, 6].map((hour) => `backups/hourly-203001010${hour}0000`));
  expect(cluster.all(deleteBackupRequestType)).toEqual([]);
});
