import { readFileSync } from 'node:fs';
import {
  type Backup,
  backupStorageLocationType,
  backupType,
  configMapType,
  type DeleteBackupRequest,
  type Deployment,
  dataUploadType,
  deleteBackupRequestType,
  deploymentType,
  type Job,
  jobType,
  type PodVolumeBackup,
  podVolumeBackupType,
  type Restore,
  restoreType,
  type Schedule,
  type Secret,
  scheduleType,
  secretType,
} from '@lateen/api-types';
import { backupStore } from '@lateen/backup-store';
import type { KubeObject, ResourceType, Unstructured } from '@lateen/kube';
import { type KubeClient, kubeClient } from '@lateen/kube-client';
import { informer, waitForObject, withSpecOr } from '@lateen/kube-runtime';
import { noSnapshotters } from '@lateen/native-snapshots';
import { ModelCredentialFiles } from '@lateen/native-snapshots/model-cloud';
import { runRetentionControllers } from '@lateen/retention';
import { backupIndexers, runScheduleController } from '@lateen/schedule';
import { runSyncController } from '@lateen/sync';
import { aBackupStorageLocation, aDataUpload, memoryObjectStore, recordingLog } from '@lateen/testing';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyDefinitions, untilServed } from './apply-definitions.ts';
import { base, describeWithApiServer } from './with-api-server.ts';

const kinds = [
  backupType,
  restoreType,
  scheduleType,
  backupStorageLocationType,
  deleteBackupRequestType,
  podVolumeBackupType,
  dataUploadType,
];
const rights = new URL('../../../deploy/base/controller/rbac.yaml', import.meta.url);
const snapshotID = 'a'.repeat(32);

/** Schedules, sync and retention with the service account of an installation, which has only the permissions of `deploy`. */
await describeWithApiServer('the life of backups on a real kube-apiserver', (under) => {
  const log = recordingLog();
  const stop = new AbortController();
  const store = memoryObjectStore();
  let namespace = '';
  let kube: KubeClient;
  let running: Promise<unknown> = Promise.resolve();

  beforeAll(async () => {
    namespace = await under.namespace();
    await applyDefinitions(under.kube);
    await Promise.all(kinds.map((kind) => untilServed(under.kube, kind)));
    kube = await clientOfController();
    await create(secretType, {
      ...named('v1', 'Secret', 'cloud-credentials'),
      data: { cloud: Buffer.from('[default]\naws_access_key_id=A\naws_secret_access_key=S\n').toString('base64') },
    } as Secret);
    await create(deploymentType, deployment());
    await storeBackup('stored', [aPodVolumeBackup('stored-1'), aPodVolumeBackup('stored-2')]);
    await storeBackup('kept');
    store.objects.set('kopia/shop/kopia.repository', Buffer.from('{}'));
    const location = aBackupStorageLocation({ spec: { backupSyncPeriod: '1s' } });
    await create(backupStorageLocationType, { ...location, metadata: { name: 'default', namespace } });
    const options = { ...base, log, kube, namespace, identity: 'c' };
    const informed = { ...base, log, api: kube, namespace };
    const backups = informer({ ...informed, type: backupType, indexers: backupIndexers });
    const restores = informer({ ...informed, type: restoreType, transform: withSpecOr<Restore>(() => ({})) });
    const locations = informer({ ...informed, type: backupStorageLocationType });
    const reach = { listAccountKey: async () => undefined, openStore: () => ({ ...store, close: async () => {} }) };
    const native = { snapshotters: noSnapshotters, credentialFiles: new ModelCredentialFiles() };
    const all = { ...options, ...reach, ...native, backups, restores, locations };
    const settingsOf = async () => ({ keepLatestMaintenanceJobs: 3 });
    running = Promise.all([
      backups.run(stop.signal),
      restores.run(stop.signal),
      locations.run(stop.signal),
      runScheduleController(all, stop.signal),
      runSyncController(all, stop.signal),
      runRetentionControllers({ ...all, deleteActions: [], settingsOf }, stop.signal),
    ]);
  }, 120_000);

  afterAll(async () => {
    stop.abort(new Error('the tests are over'));
    await running;
    await kube?.close();
  });

  const named = (apiVersion: string, kind: string, name: string) => ({
    apiVersion,
    kind,
    metadata: { name, namespace },
  });
  const create = <T extends KubeObject>(type: ResourceType<T>, object: NoInfer<T>) =>
    under.kube.create<T>(type, object, { namespace });
  const until = <T extends KubeObject>(type: ResourceType<T>, name: string, holds: (seen: T | undefined) => boolean) =>
    waitForObject<T, { seen: T | undefined }>({
      ...base,
      api: under.kube,
      type,
      key: { namespace, name },
      signal: base.clock.deadline(30_000),
      until: (seen) => (holds(seen) ? { seen } : undefined),
    });

  /** A client with a token of the service account, which is bound to the roles of `deploy`. */
  async function clientOfController(): Promise<KubeClient> {
    const objects = loadAll(readFileSync(rights, 'utf8')) as Unstructured[];
    for (const object of objects) {
      const text = JSON.stringify(object).replaceAll('"namespace":"velero"', `"namespace":"${namespace}"`);
      const body = JSON.parse(text) as Unstructured;
      const [group = '', version = ''] = body.apiVersion.includes('/')
        ? body.apiVersion.split('/')
        : ['', body.apiVersion];
      const resource = `${body.kind.toLowerCase()}s`;
      const type = { group, version, kind: body.kind, resource, namespaced: body.metadata.namespace !== undefined };
      const { name = '' } = body.metadata;
      const key = type.namespaced ? { namespace, name } : { name };
      await under.kube.patch(type, key, { type: 'apply', body, force: true }, { fieldManager: 'test' });
    }
    const accountType: ResourceType<Unstructured> = {
      group: '',
      version: 'v1',
      kind: 'ServiceAccount',
      resource: 'serviceaccounts',
      namespaced: true,
    };
    const request = {
      ...named('authentication.k8s.io/v1', 'TokenRequest', 'velero'),
      spec: { expirationSeconds: 3_600 },
    };
    const answer = await under.kube.create(accountType, request as Unstructured, { namespace, subresource: 'token' });
    const { token } = (answer as { status?: { token?: string } }).status ?? {};
    return kubeClient({ config: { ...under.config, user: { token: token ?? '' } }, ...base });
  }

  async function storeBackup(name: string, podVolumes: PodVolumeBackup[] = []): Promise<void> {
    const files = backupStore(store, '');
    await files.putBackup({
      ...named('velero.io/v1', 'Backup', name),
      metadata: { name, namespace: 'elsewhere', uid: 'x', resourceVersion: '7', annotations: { note: 'n' } },
      spec: { storageLocation: 'theirs' },
      status: { phase: 'Completed', startTimestamp: '2029-01-01T00:00:00Z' },
    } as Backup);
    await files.putPodVolumeBackups(name, podVolumes);
  }

  const aPodVolumeBackup = (name: string): PodVolumeBackup => ({
    ...named('velero.io/v1', 'PodVolumeBackup', name),
    metadata: { name, namespace: 'elsewhere', finalizers: ['velero.io/pod-volume-finalizer'] },
    spec: {
      node: 'n',
      pod: { kind: 'Pod', namespace: 'shop', name: 'web-0', uid: 'u' },
      volume: 'data',
      backupStorageLocation: 'theirs',
      repoIdentifier: '',
    },
    status: { phase: 'Completed', snapshotID },
  });

  const deployment = (): Deployment => ({
    ...named('apps/v1', 'Deployment', 'lateen-controller'),
    spec: {
      selector: { matchLabels: { app: 'c' } },
      template: { metadata: { labels: { app: 'c' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  });

  it('a Schedule creates a Backup that it owns, records that, and waits for it before it creates the next', async () => {
    await create<Schedule>(scheduleType, {
      ...named('velero.io/v1', 'Schedule', 'often'),
      spec: { schedule: '@every 1s', template: { ttl: '24h0m0s' }, useOwnerReferencesInBackup: true },
    });
    const { seen } = await until(scheduleType, 'often', (schedule) => Boolean(schedule?.status?.lastBackup));
    expect(seen?.status?.phase).toBe('Enabled');
    await base.clock.sleep(2_500);
    const { items } = await under.kube.list(backupType, { namespace, labelSelector: 'velero.io/schedule-name=often' });
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      metadata: {
        name: expect.stringMatching(/^often-\d{14}$/),
        annotations: { 'lateen.dev/schedule-uid': seen?.metadata.uid },
        ownerReferences: [{ kind: 'Schedule', name: 'often', controller: true }],
      },
      spec: { ttl: '24h0m0s' },
    });
    await under.kube.patch(
      scheduleType,
      { namespace, name: 'often' },
      { type: 'merge', body: { spec: { paused: true } } },
    );
  });

  it('a Schedule that is invalid says so in its status', async () => {
    await create<Schedule>(scheduleType, {
      ...named('velero.io/v1', 'Schedule', 'wrong'),
      spec: { schedule: '99 * * * *', template: {} },
    });
    const { seen } = await until(scheduleType, 'wrong', (schedule) => schedule?.status?.phase === 'FailedValidation');
    expect(seen?.status?.validationErrors).toEqual(['invalid schedule: end of range (99) above maximum (59): 99']);
  });

  it('backups of the bucket become Backups, with their PodVolumeBackups', async () => {
    const { seen } = await until(
      backupType,
      'stored',
      (backup) => backup?.metadata.annotations?.note === 'n' && Object.keys(backup.metadata.annotations).length === 1,
    );
    expect(seen).toMatchObject({ spec: { storageLocation: 'default' }, status: { phase: 'Completed' } });
    const { items } = await under.kube.list(podVolumeBackupType, { namespace });
    expect(
      items.map(({ metadata }) => [metadata.name, metadata.ownerReferences?.[0]?.uid, metadata.finalizers]),
    ).toEqual([
      ['stored-1', seen?.metadata.uid, undefined],
      ['stored-2', seen?.metadata.uid, undefined],
    ]);
    await until(backupStorageLocationType, 'default', (location) => Boolean(location?.status?.lastSyncedTime));
  });

  it('a Backup whose files are gone is removed', async () => {
    await storeBackup('short');
    await until(backupType, 'short', (backup) => backup !== undefined);
    // The next sync has to find it in the bucket first: until then a missing backup proves nothing.
    await base.clock.sleep(1_500);
    for (const key of [...store.objects.keys()].filter((each) => each.startsWith('backups/short/')))
      store.objects.delete(key);
    await until(backupType, 'short', (backup) => backup === undefined);
    expect((await under.kube.get(backupType, { namespace, name: 'kept' })).metadata.name).toBe('kept');
  });

  it('a DeleteBackupRequest deletes everything of a backup, with a Job for its repository', async () => {
    const { seen: stored } = await until(backupType, 'stored', (backup) => backup !== undefined);
    const labels = { 'velero.io/backup-name': 'stored', 'velero.io/backup-uid': stored?.metadata.uid ?? '' };
    const upload = aDataUpload({
      namespace,
      name: 'moved',
      labels,
      spec: { sourceNamespace: 'shop' },
      status: { snapshotID },
    });
    await create(dataUploadType, { ...upload, metadata: { name: 'moved', namespace, labels } });
    const finalizers = ['restores.velero.io/external-resources-finalizer'];
    await create<Restore>(restoreType, {
      ...named('velero.io/v1', 'Restore', 'back'),
      metadata: { name: 'back', namespace, finalizers },
      spec: { backupName: 'stored' },
      status: { phase: 'Completed' },
    });
    store.objects.set('restores/back/restore-back-logs.gz', Buffer.from('x'));
    await create<DeleteBackupRequest>(deleteBackupRequestType, {
      ...named('velero.io/v1', 'DeleteBackupRequest', 'go'),
      spec: { backupName: 'stored' },
    });
    const job = await firstJob();
    expect(job.spec.template.spec.containers[0]?.args?.slice(0, 2)).toEqual([
      'forget',
      '--repo-name=shop-default-kopia',
    ]);
    const { items: requests } = await under.kube.list(configMapType, {
      namespace,
      labelSelector: 'lateen.dev/forget-request=true',
    });
    expect(requests.map(({ data }) => data?.snapshots)).toEqual([`${snapshotID}\n`]);
    await endJob(job);
    await until(deleteBackupRequestType, 'go', (request) => request === undefined);
    expect([...store.objects.keys()].filter((key) => /^(backups\/stored|restores)\//.test(key))).toEqual([]);
    for (const [type, name] of [
      [backupType, 'stored'],
      [restoreType, 'back'],
      [dataUploadType, 'moved'],
    ] as const)
      await until(type as ResourceType<KubeObject>, name, (object) => object === undefined);
    expect(
      (await under.kube.list(configMapType, { namespace, labelSelector: 'lateen.dev/forget-request=true' })).items,
    ).toEqual([]);
    expect(
      log.lines
        .filter(({ level }) => level === 'warn' || level === 'error')
        .map(({ message, fields }) => [message, String(fields.err)]),
    ).toEqual([['the schedule is invalid', 'undefined']]);
  });

  async function firstJob(): Promise<Job> {
    for (;;) {
      const { items } = await under.kube.list(jobType, { namespace });
      if (items[0] !== undefined) return items[0];
      await base.clock.sleep(100);
    }
  }

  /** Ends Jobs as the Job controller of a cluster does. */
  async function endJob(job: Job): Promise<void> {
    const at = new Date(base.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
    const condition = (type: string) => ({ type, status: 'True', lastTransitionTime: at, lastProbeTime: at });
    const status = {
      startTime: at,
      completionTime: at,
      succeeded: 1,
      conditions: [condition('SuccessCriteriaMet'), condition('Complete')],
    };
    const { name = '' } = job.metadata;
    await under.kube.patch(
      jobType,
      { namespace, name },
      { type: 'merge', body: { status } },
      { subresource: 'status' },
    );
  }
});
