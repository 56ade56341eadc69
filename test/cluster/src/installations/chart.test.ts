import { join } from 'node:path';
import {
  type Backup,
  backupStorageLocationType,
  backupType,
  configMapType,
  type DataDownload,
  type DataUpload,
  type Deployment,
  type DownloadRequest,
  daemonSetType,
  dataDownloadType,
  dataUploadType,
  deploymentType,
  downloadRequestType,
  eventType,
  isTerminalPhase,
  type Namespace,
  namespaceType,
  type PodVolumeBackup,
  persistentVolumeClaimType,
  podType,
  podVolumeBackupType,
  priorityClassType,
  type ServerStatusRequest,
  secretType,
  serverStatusRequestType,
  volumeSnapshotType,
} from '@lateen/api-types';
import {
  createWorkload,
  deleteNamespace,
  fillVolume,
  isFaithful,
  type JourneyOptions,
  type LateenCli,
  lateenCli,
  podName,
  podShell,
  pvcName,
  runJourney,
  waitForPod,
} from '@lateen/demo';
import { type AuditedCall, deniedCalls, grantedRights, renderManifests, unusedRights } from '@lateen/deploy';
import { systemClock, systemRandom } from '@lateen/kernel';
import { isNotFound, type KubeApi, type KubeObject, type ResourceType } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditedCalls } from '../environment/audited-calls.ts';
import { helmOf } from '../environment/helm.ts';
import { aDataDownload, aDataUpload } from '../environment/movement-of.ts';
import { type LateenUnderTest, lateenUnderTest } from '../environment/provided-lateen.ts';

/**
 * A second Lateen beside the tier's own, installed by helm into its own namespace. Only this test uses its service accounts, so the audit
 * log shows which permissions one life of an installation needs: it starts without any objects, uploads, restores, cancels, fails, is
 * reconfigured and removed.
 */
const root = join(import.meta.dirname, '..', '..', '..', '..');
const namespace = 'lateen-chart';
const release = { name: 'lateen-chart', namespace: 'kube-system' };
const priorityClassName = 'lateen-chart-movers';
const signal = AbortSignal.any([]);
const suffix = systemRandom.suffix(5);

/**
 * Permissions that this test does not use, each with the test that does.
 * A target claim is written only when it has annotations of an earlier binding; nothing is restored into a pod.
 */
const usedElsewhere = [
  {
    right: /node-agent may patch persistentvolumeclaims everywhere/,
    by: 'test/scenarios/src/data-movement/download.test.ts',
  },
  // Changed blocks are only asked for with a base snapshot.
  {
    right: /node-agent may (create serviceaccounts\/token in|get snapshotmetadataservices)/,
    by: 'test/cluster/src/parts/changed-blocks-mover.test.ts',
  },
  // A snapshot is marked as base of the next upload only when a user asks for that.
  {
    right: /node-agent may patch volumesnapshots\.snapshot\.storage\.k8s\.io in/,
    by: 'test/scenarios/src/data-movement/base-snapshot.test.ts',
  },
  { right: /node-agent may (get|patch) podvolumerestores/, by: 'test/cluster/src/pod-volumes.test.ts' },
  // Maintenance is due an hour after a repository was created.
  {
    right:
      /velero may (get|create|delete) jobs.batch|velero may get deployments.apps|velero may get backuprepositories/,
    by: 'test/cluster/src/repository-jobs.test.ts',
  },
  // Settings in ConfigMaps that flags name, and the log of a failed maintenance.
  { right: /velero may (get configmaps|list pods) in/, by: 'test/scenarios/src/repositories/maintenance.test.ts' },
  // A whole backup with a volume and hooks, its deletion, and a restore, which creates objects of every kind.
  {
    right:
      /velero may (get|list|watch|create|patch) \*\.\* everywhere|velero may \w+ (backups|datauploads|deletebackuprequests)\.velero\.io in/,
    by: 'test/cluster/src/backup.test.ts',
  },
  {
    right: /velero may (escalate|bind) (cluster)?roles\.rbac\.authorization\.k8s\.io everywhere/,
    by: 'test/cluster/src/restore.test.ts',
  },
  { right: /velero may (create|delete) configmaps in/, by: 'test/cluster/src/backup.test.ts' },
  {
    right: /velero may \w+ volumesnapshot(s|contents)\.snapshot\.storage\.k8s\.io everywhere/,
    by: 'test/cluster/src/backup-snapshots.test.ts',
  },
  // The driver of the tests does not support group snapshots.
  {
    right: /velero may \w+ volumegroupsnapshot(s|contents)\.groupsnapshot\.storage\.k8s\.io everywhere/,
    by: 'test/scenarios/src/backup/csi-group-snapshots.test.ts',
  },
  {
    right: /velero may \w+ (schedules|restores|podvolumebackups)\.velero\.io in/,
    by: 'test/api/src/backup-lifecycle.test.ts',
  },
  { right: /velero may \w+ volumesnapshotlocations/, by: 'test/scenarios/src/native-snapshots/restore.test.ts' },
  { right: /velero may create backuprepositories/, by: 'test/scenarios/src/retention/deletion.test.ts' },
];

let lateen: LateenUnderTest;
let helm: Awaited<ReturnType<typeof helmOf>>;
let cli: LateenCli;
let startedMs: number;

beforeAll(async () => {
  lateen = await lateenUnderTest();
  helm = await helmOf(lateen.kubeconfig, release);
  const plain = lateenCli(root, lateen.kubeconfig, signal);
  cli = (args) => plain(['-n', namespace, ...args]);
  await remove();
  // Calls that were denied while the remains of an earlier run were deleted do not count.
  startedMs = systemClock.now();
  await lateen.kube.create(priorityClassType, {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: priorityClassName },
    value: 1_000,
  });
});

afterAll(async () => {
  await remove();
  await lateen.kube.close();
});

async function remove(): Promise<void> {
  await helm.uninstall();
  await lateen.kube.delete(priorityClassType, { name: priorityClassName }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}

const values = {
  'namespace.name': namespace,
  'csi.enabled': false,
  // Volumes of pods as well, with the pod security level of an installation without them.
  'podVolumes.hostPaths': false,
  // Starts everything that makes the agents read objects.
  'nodeAgent.config': {
    priorityClassName,
    cachePVC: { storageClass: 'lateen' },
    backupPVC: { lateen: { annotations: { 'csi.vsphere.volume/fast-provisioning': 'true' } } },
  },
};

describe.skipIf(process.env.LATEEN_TEST_KUBECONFIG !== undefined)('an installation by helm', () => {
  it('starts, and its controller finds a location and creates the repository password', async () => {
    await helm.install(values);
    await createLocation(lateen);
    await until(lateen.kube, backupStorageLocationType, 'default', (it) => it.status?.phase === 'Available');
    expect(JSON.parse(await helm.status())).toMatchObject({ info: { status: 'deployed' } });
    const found = await lateen.kube.get(configMapType, { namespace, name: 'node-agent-config' });
    expect(JSON.parse(found.data?.['config.json'] ?? '')).toEqual(values['nodeAgent.config']);
  });

  it('answers requests of clients, reports why it cannot, and deletes requests that have expired', async () => {
    const past = '2020-01-01T00:00:00Z';
    const named = (kind: string, name: string) => ({ apiVersion: 'velero.io/v1', kind, metadata: { name, namespace } });
    const backup = { ...named('Backup', 'old'), spec: { storageLocation: 'default' } };
    await lateen.kube.create<Backup>(backupType, { ...backup, status: { phase: 'Completed' } });
    const target = { kind: 'RestoreLog', name: 'missing' } as const;
    const [hopeless, expired] = [named('DownloadRequest', 'hopeless'), named('DownloadRequest', 'expired')];
    await lateen.kube.create<DownloadRequest>(downloadRequestType, { ...hopeless, spec: { target } });
    const served = { phase: 'Processed', expiration: past } as const;
    await lateen.kube.create<DownloadRequest>(downloadRequestType, { ...expired, spec: { target }, status: served });
    await lateen.kube.create<ServerStatusRequest>(serverStatusRequestType, {
      ...named('ServerStatusRequest', 'answered'),
      spec: {},
      status: { phase: 'Processed', processedTimestamp: past },
    });
    // There is no such file: the test checks that the store was asked through the link.
    await expect(cli(['backup', 'logs', 'old'])).rejects.toThrow('exit code 1');
    await cli(['version']);
    await until(lateen.kube, downloadRequestType, 'hopeless', (it) => it.status?.phase === 'Processed');
    const events = async () => {
      const { items } = await lateen.kube.list(eventType, { namespace, fieldSelector: 'involvedObject.name=hopeless' });
      return items.map(({ count, message }) => ({ count, message }));
    };
    const message = expect.stringContaining('missing does not exist');
    expect(await events()).toEqual([{ count: 1, message }]);
    // A repeated request is answered again, and its Event counts that.
    const key = { namespace, name: 'hopeless' };
    await lateen.kube.patch(downloadRequestType, key, { type: 'merge', body: { status: { phase: 'New' } } });
    await expect.poll(events, { timeout: 30_000 }).toEqual([{ count: 2, message }]);
    await expect.poll(() => leftRequests(), { timeout: 30_000 }).toEqual([]);
  });

  it('runs with pod security level baseline, which denies privileged containers and host paths', async () => {
    const { metadata } = await lateen.kube.get(namespaceType, { name: namespace });
    expect(metadata.labels?.['pod-security.kubernetes.io/enforce']).toBe('baseline');
    const container = { name: 'c', image: lateen.image, command: ['true'] };
    const bad = [
      { containers: [{ ...container, securityContext: { privileged: true } }] },
      { containers: [container], volumes: [{ name: 'host', hostPath: { path: '/' } }] },
      { containers: [{ ...container, securityContext: { capabilities: { add: ['SYS_ADMIN'] } } }] },
    ];
    for (const spec of bad) {
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'bad', namespace }, spec };
      await expect(lateen.kube.create(podType, pod)).rejects.toThrow(/violates PodSecurity "baseline/);
    }
  });

  it('uploads a volume twice and restores it, equal, and leaves nothing', async () => {
    const options: JourneyOptions = {
      veleroNamespace: namespace,
      namespace: `chart-${suffix}`,
      restoredNamespace: `chart-${suffix}-restored`,
      image: lateen.image,
      storageClass: lateen.storageClass,
      volumeSize: '512Mi',
      source: { path: join(root, 'libs', 'kube', 'src'), files: 0 },
      bigFileBytes: 5_000_000,
    };
    const shell = (of: string) => podShell({ ...lateen, namespace: of, pod: podName, signal });
    const ports = { kube: lateen.kube, clock: systemClock, lateen: cli, shell, say: () => {} };
    const result = await runJourney(options, ports, signal);
    expect(result.comparison.filter((each) => each.different.length > 0 && !isFaithful([each]))).toEqual([]);
    expect(result.leftovers).toEqual([]);
    const metrics = await agentMetrics();
    expect(metrics).toContain('podVolume_data_upload_success_total{node="node-1"} 2');
    expect(metrics).toContain('podVolume_data_download_success_total{node="node-1"} 1');
    expect(metrics).toMatch(/phase_duration_seconds_count\{node="node-1",operation="download",phase="moving"\} 1/);
    expect(metrics).toMatch(/podVolume_data_movement_bytes_total\{node="node-1",operation="upload"\} [1-9]\d{6}/);
    expect(metrics).toContain('podVolume_data_path_slots_taken{node="node-1"} 0');
  });

  it('reads a volume of a pod without a path of the node', async () => {
    await withVolume(`chart-${suffix}-pods`, async (_, of) => {
      const name = `${suffix}-pods`;
      await cli(['volume', 'upload', `${of}/${podName}:data`, '--name', name]);
      await expectEnd(podVolumeBackupType, name, 'Completed');
      await expect(cli(['volume', 'upload', `${of}/${podName}:none`])).rejects.toThrow('exit code');
    });
  });

  it('cancels an upload whose mover waits for a controller that does not run', async () => {
    await scaleController(0);
    await withVolume(`chart-${suffix}-waits`, async (volume) => {
      const name = `${suffix}-canceled`;
      await cli(['volume', 'upload', volume, '--name', name, '--no-wait']);
      await untilCalled(({ verb, resource }) => verb === 'watch' && resource === 'backuprepositories');
      await cli(['volume', 'cancel', name, '--confirm', '--wait']);
      await expectEnd(dataUploadType, name, 'Canceled');
    });
    await scaleController(1);
  });

  it('is reconfigured by an upgrade, and then reports why an upload finds no node and a download no consumer', async () => {
    const loadAffinity = [{ nodeSelector: { matchLabels: { disk: 'none-has-this' } } }];
    await helm.upgrade({
      'nodeAgent.config.loadAffinity': loadAffinity,
      'nodeAgent.extraArgs': ['--data-mover-prepare-timeout=20s'],
    });
    const agent = await lateen.kube.get(daemonSetType, { namespace, name: 'node-agent' });
    expect(agent.spec.template.spec.containers[0]?.args).toContain('--data-mover-prepare-timeout=20s');
    await withVolume(`chart-${suffix}-stuck`, async (volume, of) => {
      await cli(['volume', 'upload', volume, '--name', `${suffix}-stuck`, '--no-wait']);
      await createLonelyDownload(lateen, of);
      await createUnreadyUpload(lateen, of);
      const stuck = await expectEnd(dataUploadType, `${suffix}-stuck`, 'Failed');
      expect(stuck.status?.message).toMatch(/node affinity|node selector/);
      const lonely = await expectEnd(dataDownloadType, `${suffix}-lonely`, 'Failed');
      expect(lonely.status?.message).toMatch(/lonely waits until a pod/);
      const unready = await expectEnd(dataUploadType, `${suffix}-unready`, 'Failed');
      expect(unready.status?.message).toContain(`${of}/unready`);
      await cli(['volume', 'list', '-o', 'wide']);
      await cli(['volume', 'describe', `${suffix}-stuck`]);
    });
  });

  it('was denied no call in all this, and has no permission that it did not use', async () => {
    const calls = await callsSoFar();
    expect(calls.length).toBeGreaterThan(100);
    expect(deniedCalls(calls)).toEqual([]);
    const rights = grantedRights(await renderManifests({ namespace, parts: ['controller', 'node-agent'] }));
    const unused = unusedRights(rights, calls);
    expect(unused.filter((text) => !usedElsewhere.some(({ right }) => right.test(text)))).toEqual([]);
    // An entry that is no longer needed has to be removed.
    for (const { right } of usedElsewhere)
      expect(rights.length > 0 && unused.some((text) => right.test(text))).toBe(true);
  });

  it('is removed without remains in its namespace', async () => {
    await helm.uninstall();
    await waitForObject<Namespace, true>({
      api: lateen.kube,
      type: namespaceType,
      key: { name: namespace },
      clock: systemClock,
      signal: systemClock.deadline(120_000),
      until: (seen) => (seen === undefined ? true : undefined),
    });
  });
});

/** Without the repository password, which the tier's own installation creates beforehand. */
async function createLocation({ kube, cluster }: LateenUnderTest): Promise<void> {
  if (cluster === undefined) throw new Error('the tests have no cluster of their own');
  const { s3 } = cluster;
  const keys = `[default]\naws_access_key_id=${s3.accessKey}\naws_secret_access_key=${s3.secretKey}\n`;
  await kube.create(secretType, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: 's3' },
    data: { cloud: Buffer.from(keys).toString('base64') },
  });
  await kube.create(backupStorageLocationType, {
    apiVersion: 'velero.io/v1',
    kind: 'BackupStorageLocation',
    metadata: { namespace, name: 'default' },
    spec: {
      provider: 'aws',
      default: true,
      // The tier's own location has no prefix, so a folder of this test beside its folders would make it invalid.
      objectStorage: { bucket: s3.bucket },
      credential: { name: 's3', key: 'cloud' },
      config: { region: s3.region, s3Url: s3.endpointForPods, s3ForcePathStyle: 'true' },
    },
  });
}

/** Requests that already had an answer that has expired. */
async function leftRequests(): Promise<string[]> {
  const [downloads, statuses] = await Promise.all([
    lateen.kube.list(downloadRequestType, { namespace }),
    lateen.kube.list(serverStatusRequestType, { namespace }),
  ]);
  const names = [...downloads.items, ...statuses.items].map(({ metadata }) => metadata.name ?? '');
  return names.filter((name) => name === 'expired' || name === 'answered');
}

/** The metrics of the only node-agent. */
async function agentMetrics(): Promise<string> {
  const { items } = await lateen.kube.list(podType, { namespace, labelSelector: 'name=node-agent' });
  const path = `/api/v1/namespaces/${namespace}/pods/${items[0]?.metadata.name}:8085/proxy/metrics`;
  return (await execa(lateen.kubectl, ['--kubeconfig', lateen.kubeconfig, 'get', '--raw', path])).stdout;
}

async function callsSoFar(): Promise<AuditedCall[]> {
  if (lateen.cluster === undefined) throw new Error('the tests have no cluster of their own');
  return await auditedCalls(lateen.cluster.auditLogDir, { sinceMs: startedMs, namespaces: [namespace] });
}

/** Resolves when the node-agent or a mover has made such a call. */
async function untilCalled(isThat: (call: AuditedCall) => boolean): Promise<void> {
  const deadline = systemClock.deadline(120_000);
  const ofAgent = (call: AuditedCall) => call.subject === `${namespace}/node-agent`;
  while (!(await callsSoFar()).some((call) => ofAgent(call) && isThat(call))) await systemClock.sleep(500, deadline);
}

async function scaleController(replicas: number): Promise<void> {
  const key = { namespace, name: 'lateen-controller' };
  await lateen.kube.patch(deploymentType, key, { type: 'merge', body: { spec: { replicas } } });
  const available = (it: Deployment) => (it.status?.availableReplicas ?? 0) as number;
  await until(lateen.kube, deploymentType, key.name, (it) => available(it) === replicas);
}

/** A workload's volume with a few files, while `use` runs. */
async function withVolume(of: string, use: (volume: string, of: string) => Promise<void>): Promise<void> {
  const { kube, image, storageClass } = lateen;
  await createWorkload(kube, { namespace: of, image, storageClass, volumeSize: '128Mi', withPvc: true }, signal);
  try {
    await waitForPod(kube, of, systemClock, signal);
    const shell = podShell({ ...lateen, namespace: of, pod: podName, signal });
    await fillVolume(shell, { path: join(root, 'libs', 'errors', 'src'), files: 0 }, 1_000);
    await use(`${of}/${pvcName}`, of);
  } finally {
    await deleteNamespace(kube, of, systemClock, signal);
  }
}

/** An upload of a snapshot that never becomes ready, because no content is created for it. */
async function createUnreadyUpload({ kube, storageClass }: LateenUnderTest, of: string): Promise<void> {
  await kube.create(volumeSnapshotType, {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshot',
    metadata: { namespace: of, name: 'unready' },
    spec: { source: { volumeSnapshotContentName: `${suffix}-nobody-makes-it` } },
  });
  const csiSnapshot = { volumeSnapshot: 'unready', storageClass };
  const spec = { csiSnapshot, sourcePVC: pvcName, sourceNamespace: of, operationTimeout: '10m' };
  await kube.create(dataUploadType, aDataUpload(namespace, `${suffix}-unready`, spec));
}

/** A download into a claim that no pod uses. */
async function createLonelyDownload({ kube, storageClass }: LateenUnderTest, target: string): Promise<void> {
  await kube.create(persistentVolumeClaimType, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: target, name: 'lonely' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: storageClass,
      resources: { requests: { storage: '64Mi' } },
      selector: { matchLabels: { 'velero.io/dynamic-pv-restore': suffix } },
    },
  });
  const targetVolume = { namespace: target, pvc: 'lonely', pv: '' };
  await kube.create(
    dataDownloadType,
    aDataDownload(namespace, `${suffix}-lonely`, { targetVolume, sourceNamespace: target, operationTimeout: '10m' }),
  );
}

async function until<T extends KubeObject>(
  kube: KubeApi,
  type: ResourceType<T>,
  name: string,
  isDone: (object: T) => boolean,
): Promise<T> {
  return await waitForObject<T, T>({
    api: kube,
    type,
    key: { namespace, name },
    clock: systemClock,
    signal: systemClock.deadline(120_000),
    until: (seen) => (seen !== undefined && isDone(seen) ? seen : undefined),
  });
}

async function expectEnd<T extends DataUpload | DataDownload | PodVolumeBackup>(
  type: ResourceType<T>,
  name: string,
  phase: string,
): Promise<T> {
  const ended = await until<T>(lateen.kube, type, name, (it) => isTerminalPhase(it.status?.phase));
  expect([name, ended.status?.phase, ended.status?.message ?? '']).toEqual([name, phase, expect.anything()]);
  return ended;
}
