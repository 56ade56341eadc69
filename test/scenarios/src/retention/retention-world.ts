import {
  type Backup,
  backupStorageLocationType,
  backupType,
  type DeleteBackupRequest,
  type Deployment,
  deleteBackupRequestType,
  eventType,
  type KubeObject,
  type Restore,
  restoreType,
} from '@lateen/api-types';
import { type BackupStore, backupStore } from '@lateen/backup-store';
import type { DeleteItemAction } from '@lateen/item-actions';
import { informer, withSpecOr } from '@lateen/kube-runtime';
import { ModelCloud, ModelCredentialFiles } from '@lateen/native-snapshots/model-cloud';
import { type DeletionObserver, runRetentionControllers } from '@lateen/retention';
import { backupIndexers } from '@lateen/schedule';
import {
  aBackupStorageLocation,
  FakeClock,
  type FakeCluster,
  fakeCluster,
  jobActor,
  recordingLog,
  seededRandom,
} from '@lateen/testing';
import { onTestFinished } from 'vitest';
import { AtWork, PatientTime } from '../buckets/at-work.ts';
import { Buckets, cloudCredentials, namespace } from '../buckets/buckets.ts';
import { mortalStore } from '../buckets/mortal-store.ts';
import { type Death, type Mortality, mortalKube } from '../world/mortal-kube.ts';
import { mortalSnapshotters } from '../world/mortal-snapshotters.ts';
import { type ForgetFault, forgetProgram } from './forget-program.ts';

/** The Deployment that Jobs are copied from. */
export const deployment: Deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'lateen-controller', namespace },
  spec: {
    selector: { matchLabels: { app: 'c' } },
    template: {
      metadata: { labels: { app: 'c' } },
      spec: { containers: [{ name: 'c', image: 'i' }], serviceAccountName: 'velero' },
    },
  },
};

export const aBackup = (
  name = 'b',
  parts: { status?: Backup['status']; spec?: Backup['spec']; labels?: Record<string, string>; keep?: string } = {},
): Backup => ({
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: {
    name,
    namespace,
    uid: `uid-of-${name}`,
    labels: { 'velero.io/storage-location': 'default', ...parts.labels },
    ...(parts.keep === undefined ? {} : { annotations: { 'lateen.dev/keep-at-least': parts.keep } }),
  },
  spec: { storageLocation: 'default', ...parts.spec },
  status: {
    phase: 'Completed',
    startTimestamp: '2029-12-01T00:00:00Z',
    expiration: '2030-06-01T00:00:00Z',
    ...parts.status,
  },
});

export const aRequest = (backupName = 'b', name = `delete-${backupName}`): DeleteBackupRequest => ({
  apiVersion: 'velero.io/v1',
  kind: 'DeleteBackupRequest',
  metadata: { name, namespace, uid: `uid-of-${name}` },
  spec: { backupName },
});

export const aRestore = (name: string, backupName = 'b', phase: 'Completed' | 'InProgress' = 'Completed'): Restore => ({
  apiVersion: 'velero.io/v1',
  kind: 'Restore',
  metadata: { name, namespace, finalizers: ['restores.velero.io/external-resources-finalizer'] },
  spec: { backupName },
  status: { phase },
});

export interface RetentionWorldOptions {
  objects?: readonly KubeObject[];
  deleteActions?: readonly DeleteItemAction[];
  fault?: ForgetFault;
}

export interface RetentionWorld {
  clock: FakeClock;
  cluster: FakeCluster;
  buckets: Buckets;
  store: BackupStore;
  log: ReturnType<typeof recordingLog>;
  /** Snapshots by repository, `<namespace>/<engine>`. */
  repositories: Map<string, Set<string>>;
  /** The cloud that has native snapshots; its provider is `model`. */
  cloud: ModelCloud;
  /** Arguments of all Jobs so far. */
  jobs: string[];
  /** Calls of the observer, in order. */
  told: string[];
  start(death?: Death): { stop(): Promise<void>; writes(): number };
  run(ms: number): Promise<void>;
  ask(...requests: DeleteBackupRequest[]): void;
  request(name?: string): DeleteBackupRequest | undefined;
  backup(name?: string): Backup | undefined;
  events(): string[];
}

export function retentionWorld(given: RetentionWorldOptions = {}): RetentionWorld {
  const clock = new FakeClock();
  const location = aBackupStorageLocation({ spec: { objectStorage: { bucket: 'default' } } });
  const objects = [cloudCredentials(), deployment, location, ...(given.objects ?? [])];
  const cluster = fakeCluster({ clock, objects });
  const buckets = new Buckets();
  const log = recordingLog();
  const cloud = new ModelCloud();
  const credentialFiles = new ModelCredentialFiles();
  const repositories = new Map<string, Set<string>>();
  const jobs: string[] = [];
  const told: string[] = [];
  const running: { atWork: AtWork; stop(): Promise<void> }[] = [];
  const isBusy = () => running.some(({ atWork }) => atWork.isBusy);
  const time = new PatientTime(clock, isBusy, () => cluster.calls.length + buckets.calls);
  onTestFinished(jobActor(cluster, (job) => forgetProgram({ cluster, repositories, jobs, fault: given.fault }, job)));
  onTestFinished(async () => {
    await Promise.all([...running].map((process) => process.stop()));
  });
  const observer: DeletionObserver = {
    attempted: (schedule) => told.push(`attempt ${schedule}`),
    succeeded: (schedule) => told.push(`success ${schedule}`),
    failed: (schedule) => told.push(`failure ${schedule}`),
  };
  return {
    clock,
    cluster,
    buckets,
    store: backupStore(buckets.of('default').memory, ''),
    log,
    repositories,
    cloud,
    jobs,
    told,
    run: (ms) => time.run(ms),
    start: (death) => {
      const stop = new AbortController();
      const atWork = new AtWork();
      const endNow = () => {
        life.dead = true;
        atWork.end();
        stop.abort(new Error('the process ends'));
      };
      const life: Mortality = { dead: false, writes: 0, death, die: endNow };
      const kube = mortalKube(cluster, life);
      const base = { kube, clock, random: seededRandom(5), log, metrics: atWork.metrics };
      const informed = { ...base, api: kube, namespace };
      const backups = informer({ ...informed, type: backupType, indexers: backupIndexers });
      const restores = informer({ ...informed, type: restoreType, transform: withSpecOr<Restore>(() => ({})) });
      const locations = informer({ ...informed, type: backupStorageLocationType });
      const done = Promise.all([
        backups.run(stop.signal),
        restores.run(stop.signal),
        locations.run(stop.signal),
        runRetentionControllers(
          {
            ...base,
            namespace,
            backups,
            restores,
            locations,
            listAccountKey: async () => undefined,
            openStore: (resolved) => mortalStore(buckets.openStore(resolved), life),
            snapshotters: mortalSnapshotters(cloud, life),
            credentialFiles,
            deleteActions: given.deleteActions ?? [],
            settingsOf: async () => ({ keepLatestMaintenanceJobs: 3 }),
            identity: 'c',
            deletionObserver: observer,
          },
          stop.signal,
        ),
      ]);
      const process = {
        atWork,
        writes: () => life.writes,
        stop: async () => {
          endNow();
          if (running.includes(process)) running.splice(running.indexOf(process), 1);
          await done;
        },
      };
      running.push(process);
      return process;
    },
    ask: (...requests) => {
      for (const request of requests)
        cluster.put({
          ...request,
          metadata: { ...request.metadata, creationTimestamp: new Date(clock.now()).toISOString() },
        });
    },
    request: (name = 'delete-b') => cluster.find(deleteBackupRequestType, { namespace, name }),
    backup: (name = 'b') => cluster.find(backupType, { namespace, name }),
    events: () => cluster.all(eventType).map(({ reason, message }) => `${reason}: ${message}`),
  };
}

/** Remaining objects of backups and deletions, by kind. */
export function leftovers({ cluster, buckets }: RetentionWorld): string[] {
  const kinds = ['Backup', 'DeleteBackupRequest', 'Restore', 'DataUpload', 'ConfigMap'];
  const objects = cluster.everything().filter(({ kind }) => kinds.includes(kind));
  return [
    ...objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    ...buckets.keys('default').filter((key) => !key.startsWith('kopia/')),
  ].sort();
}
