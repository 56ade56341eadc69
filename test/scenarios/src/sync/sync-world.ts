import {
  type Backup,
  type BackupStorageLocation,
  backupStorageLocationType,
  backupType,
  eventType,
  type KubeObject,
} from '@lateen/api-types';
import { informer } from '@lateen/kube-runtime';
import { runSyncController } from '@lateen/sync';
import {
  aBackupStorageLocation,
  FakeClock,
  type FakeCluster,
  fakeCluster,
  recordingLog,
  seededRandom,
} from '@lateen/testing';
import { onTestFinished } from 'vitest';
import { AtWork, PatientTime } from '../buckets/at-work.ts';
import { Buckets, cloudCredentials, namespace } from '../buckets/buckets.ts';
import { mortalStore } from '../buckets/mortal-store.ts';
import { type Death, type Mortality, mortalKube } from '../world/mortal-kube.ts';

/** An available location of bucket `<name>`, created when the world starts. */
export const aLocation = (name = 'default', spec: Partial<BackupStorageLocation['spec']> = {}): BackupStorageLocation =>
  aBackupStorageLocation({
    name,
    spec: { objectStorage: { bucket: name }, default: name === 'default', ...spec },
    metadata: { creationTimestamp: '2029-06-01T00:00:00Z' },
  });

/** A Backup of the cluster in a location. */
export const aClusterBackup = (
  name: string,
  phase: NonNullable<Backup['status']>['phase'] = 'Completed',
  { location = 'default', created = '2029-12-01T00:00:00Z' } = {},
): Backup => ({
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: {
    name,
    namespace,
    creationTimestamp: created,
    labels: { 'velero.io/storage-location': location },
  },
  spec: { storageLocation: location },
  status: phase === undefined ? {} : { phase },
});

export interface SyncWorld {
  clock: FakeClock;
  cluster: FakeCluster;
  buckets: Buckets;
  log: ReturnType<typeof recordingLog>;
  /** Lets time pass. */
  run(ms: number): Promise<void>;
  start(options?: { periodMs?: number; death?: Death }): { stop(): Promise<void> };
  names(): string[];
  backup(name: string): Backup | undefined;
  location(name?: string): BackupStorageLocation | undefined;
  events(): string[];
}

export function syncWorld(...objects: KubeObject[]): SyncWorld {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects: [cloudCredentials(), ...objects] });
  const buckets = new Buckets();
  const log = recordingLog();
  const running: { atWork: AtWork; stop(): Promise<void> }[] = [];
  const isBusy = () => running.some(({ atWork }) => atWork.isBusy);
  const time = new PatientTime(clock, isBusy, () => cluster.calls.length + buckets.calls);
  onTestFinished(async () => {
    await Promise.all([...running].map((process) => process.stop()));
  });
  return {
    clock,
    cluster,
    buckets,
    log,
    run: (ms) => time.run(ms),
    start: ({ periodMs, death } = {}) => {
      const stop = new AbortController();
      const atWork = new AtWork();
      const endNow = () => {
        life.dead = true;
        atWork.end();
        stop.abort(new Error('the process ends'));
      };
      const life: Mortality = { dead: false, writes: 0, death, die: endNow };
      const base = { kube: mortalKube(cluster, life), clock, random: seededRandom(3), log, metrics: atWork.metrics };
      const informed = { ...base, api: base.kube, namespace };
      const backups = informer({ ...informed, type: backupType });
      const locations = informer({ ...informed, type: backupStorageLocationType });
      const openStore: typeof buckets.openStore = (resolved) => mortalStore(buckets.openStore(resolved), life);
      const reach = { listAccountKey: async () => undefined, openStore };
      const options = { ...base, ...reach, namespace, backups, locations, identity: 'c' };
      const done = Promise.all([
        backups.run(stop.signal),
        locations.run(stop.signal),
        runSyncController(
          { ...options, ...(periodMs === undefined ? {} : { backupSyncPeriodMs: periodMs }) },
          stop.signal,
        ),
      ]);
      const process = {
        atWork,
        stop: async () => {
          endNow();
          running.splice(running.indexOf(process), 1);
          await done;
        },
      };
      running.push(process);
      return process;
    },
    names: () => cluster.all(backupType).map(({ metadata }) => metadata.name ?? ''),
    backup: (name) => cluster.find(backupType, { namespace, name }),
    location: (name = 'default') => cluster.find(backupStorageLocationType, { namespace, name }),
    events: () => cluster.all(eventType).map(({ reason, message }) => `${reason}: ${message}`),
  };
}
