import {
  dataUploadType,
  isTerminalPhase,
  labels,
  type Pod,
  type PodVolumeBackup,
  type PodVolumeRestore,
  podType,
  podVolumeBackupType,
  podVolumeRestoreType,
} from '@lateen/api-types';
import {
  createDisks,
  createWarehouse,
  deleteDisks,
  deleteNamespace,
  dropRepositories,
  findLeftovers,
  type Inventory,
  kubectlIn,
  podShell,
  takeInventory,
  waitForWarehouse,
  warehousePod,
  whatIsThere,
  whatWasFound,
} from '@lateen/demo';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { informer, waitForObject } from '@lateen/kube-runtime';
import type { S3Store } from '@lateen/object-store-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bucketOf } from './environment/bucket-of.ts';
import { withSettings } from './environment/node-agent-settings.ts';
import { type LateenUnderTest, lateenUnderTest } from './environment/provided-lateen.ts';
import { type JourneyTools, journeyTools } from './restore/journey-tools.ts';

/**
 * A StatefulSet with an emptyDir, a local volume without snapshots and a CSI volume: backed up, deleted and restored, by path and by claim.
 */
const suffix = systemRandom.suffix(5);
const namespace = `pods-${suffix}`;
const strict = `pods-strict-${suffix}`;
const mark = `test=${suffix}`;
const within = () => systemClock.deadline(240_000);
const signal = AbortSignal.any([]);

let lateen: LateenUnderTest;
let store: S3Store;
let before: Inventory;
let tools: JourneyTools;
let disks: Parameters<typeof deleteDisks>[1];
/** The content of the volumes, file by file. */
let there: string;
/** Every hosting pod of a pod volume as created, by name. */
const movers = new Map<string, Pod>();
const watching = new AbortController();

const kubectl = (target: string) => kubectlIn({ ...lateen, namespace: target, signal });
const shell = () => podShell({ ...lateen, namespace, pod: warehousePod, signal });
const inVelero = (label: string, value: string) => ({
  namespace: lateen.veleroNamespace,
  labelSelector: `${label}=${value}`,
});
const backupsOf = async (name: string): Promise<PodVolumeBackup[]> =>
  (await lateen.kube.list(podVolumeBackupType, inVelero(labels.backupName, name))).items.toSorted((a, b) =>
    a.spec.volume < b.spec.volume ? -1 : 1,
  );
const restoresOf = async (name: string): Promise<PodVolumeRestore[]> =>
  (await lateen.kube.list(podVolumeRestoreType, inVelero(labels.restoreName, name))).items;
const told = (some: readonly (PodVolumeBackup | PodVolumeRestore)[]) =>
  some.map(({ spec, status }) => [spec.volume, status?.phase, status?.message ?? '']).sort();

function watchMovers(): void {
  const pods = informer<Pod>({
    api: lateen.kube,
    type: podType,
    namespace: lateen.veleroNamespace,
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
  });
  pods.onChange(({ object }) => {
    const isMover = object.metadata.ownerReferences?.some(({ kind }) => kind.startsWith('PodVolume'));
    if (isMover) movers.set(object.metadata.name ?? '', object);
  });
  void pods.run(watching.signal);
}

const lose = async () => {
  await deleteNamespace(lateen.kube, namespace, systemClock, within());
};

/** The pod waits for its volumes, and its own container sees all of them from its start. */
async function expectBack(): Promise<void> {
  await waitForWarehouse(kubectl(namespace));
  expect(await whatWasFound(shell())).toBe(there);
  expect(await whatIsThere(shell())).toBe(there);
  const modes = "stat -c '%a %u:%g' shelves/a/2 shelves/a/3; readlink shelves/b/link";
  for (const volume of ['scratch', 'disk', 'data'])
    expect(await shell().run(['sh', '-c', `cd /volumes/${volume} && ${modes}`])).toMatch(
      /^640 .*\n.* 1000:2000\n\.\.\/a\/1\n$/,
    );
}

describe.skipIf(process.env.LATEEN_TEST_KUBECONFIG !== undefined)('volumes of pods on a real cluster', () => {
  beforeAll(async () => {
    lateen = await lateenUnderTest();
    store = bucketOf(lateen);
    tools = journeyTools(lateen, { namespace, mark });
    disks = { className: `disks-${suffix}`, count: 3, image: lateen.image };
    await createDisks(kubectl('default'), disks);
    before = await takeInventory(lateen.kube, lateen.veleroNamespace, within());
    watchMovers();
    await kubectl('default')(['create', 'namespace', namespace]);
    const { image, storageClass } = lateen;
    const classes = { image, storageClass, diskClass: disks.className };
    there = await createWarehouse(kubectl(namespace), shell(), classes);
  });
  afterAll(async () => {
    watching.abort(new Error('the test is over'));
    for (const each of [namespace, strict]) await deleteNamespace(lateen.kube, each, systemClock, within());
    for (const noun of ['restore', 'backup']) await tools.cli(noun, 'delete', '-l', mark, '--confirm', '--wait');
    for (const each of [namespace, strict])
      await dropRepositories({ kube: lateen.kube, bucket: store }, { ...lateen, namespace: each }, within());
    await deleteDisks(kubectl('default'), disks);
    await store.close();
    await lateen.kube.close();
  });

  it('are each backed up with their own method by one backup', async () => {
    const name = `each-${suffix}`;
    await tools.backUp(name, '--snapshot-move-data');
    const backups = await backupsOf(name);
    expect(told(backups)).toEqual([
      ['disk', 'Completed', ''],
      ['scratch', 'Completed', ''],
    ]);
    for (const { status } of backups)
      expect([status?.snapshotID, status?.progress?.totalBytes]).toEqual([
        expect.stringMatching(/^[0-9a-f]{32}$/),
        expect.any(Number),
      ]);
    const uploads = await lateen.kube.list(dataUploadType, inVelero(labels.backupName, name));
    expect(uploads.items.map(({ spec }) => spec.sourcePVC)).toEqual(['data-warehouse-0']);
    const { stdout } = await tools.cli('backup', 'describe', name, '--details');
    expect(stdout).toMatch(
      /Pod Volume Backups - kopia:\n\s+Completed:\n\s+\S+\/warehouse-0: disk \(.*\), scratch \(.*\)/,
    );
    expect(stdout).toContain(`${namespace}/data-warehouse-0`);
    // Only the directory of the volume is mounted from the node.
    for (const { metadata } of backups)
      expect(movers.get(metadata.name ?? '')?.spec.volumes?.map(({ hostPath }) => hostPath?.path)).toContainEqual(
        expect.stringMatching(
          /^\/var\/lib\/kubelet\/pods\/[^/]+\/volumes\/kubernetes\.io~(empty-dir|local-volume)\/[^/]+$/,
        ),
      );
  });

  it('are restored byte for byte before the containers of the pod start', async () => {
    await lose();
    const name = `again-${suffix}`;
    const status = await tools.restore(name, '--from-backup', `each-${suffix}`);
    expect([status.phase, status.errors ?? 0]).toEqual(['Completed', 0]);
    await expectBack();
    expect(told(await restoresOf(name))).toEqual([
      ['disk', 'Completed', ''],
      ['scratch', 'Completed', ''],
    ]);
    const { stdout } = await tools.cli('restore', 'describe', name, '--details');
    expect(stdout).toMatch(/kopia Restores:\n\s+Completed:\n\s+\S+\/warehouse-0: disk \(.*\), scratch \(.*\)/);
  });

  it('are uploaded incrementally, also one by one', async () => {
    await shell().run(['sh', '-c', 'echo one more > /volumes/disk/one-more; sync']);
    there = await whatIsThere(shell());
    const uploaded = await tools.cli(
      'volume',
      'upload',
      `${namespace}/${warehousePod}:disk`,
      '--name',
      `disk-${suffix}`,
    );
    expect([uploaded.exitCode, uploaded.stdout]).toEqual([0, expect.stringContaining('Completed, snapshot ')]);
    const { status } = await lateen.kube.get(podVolumeBackupType, {
      namespace: lateen.veleroNamespace,
      name: `disk-${suffix}`,
    });
    expect(status?.incrementalBytes).toBeLessThan(1_000);
    await lateen.kube.delete(podVolumeBackupType, { namespace: lateen.veleroNamespace, name: `disk-${suffix}` });
  });

  it('on claims need no hostPath when they are exposed by a second PersistentVolume', async () => {
    await using _ = await withSettings(lateen.kube, lateen.veleroNamespace, {
      settings: { podVolume: { access: 'claim' } },
      repositories: {},
    });
    const [name, back] = [`claims-${suffix}`, `claims-back-${suffix}`];
    await tools.backUp(name, '--default-volumes-to-fs-backup');
    const backups = await backupsOf(name);
    expect(told(backups)).toEqual([
      ['data', 'Completed', ''],
      ['disk', 'Completed', ''],
      ['scratch', 'Completed', ''],
    ]);
    await lose();
    const status = await tools.restore(back, '--from-backup', name);
    expect([status.phase, status.errors ?? 0]).toEqual(['Completed', 0]);
    await expectBack();
    for (const { metadata, spec } of [...backups, ...(await restoresOf(back))]) {
      const volumes = movers.get(metadata.name ?? '')?.spec.volumes ?? [];
      const byPath = volumes.some(({ hostPath }) => hostPath !== undefined);
      expect([metadata.name, spec.volume, byPath]).toEqual([metadata.name, spec.volume, spec.volume === 'scratch']);
    }
  });

  it('are restored under the strictest pod security level', async () => {
    const level = 'pod-security.kubernetes.io/enforce=restricted';
    await kubectl('default')(['create', 'namespace', strict]);
    await kubectl('default')(['label', 'namespace', strict, level]);
    await kubectl(strict)(['apply', '-f', '-'], JSON.stringify(strictPod(lateen.image)));
    await kubectl(strict)(['wait', '--for=condition=Ready', 'pod/strict', '--timeout=120s']);
    await kubectl(strict)(['exec', 'strict', '--', 'sh', '-c', 'echo kept > /data/file; sync']);
    const name = `strict-${suffix}`;
    const what = ['--include-namespaces', strict, '--labels', mark, '--wait', '--exit-code'];
    const made = await tools.cli('backup', 'create', name, ...what);
    expect([made.exitCode, made.stderr]).toEqual([0, expect.anything()]);
    await deleteNamespace(lateen.kube, strict, systemClock, within());
    await tools.restore(`${name}-back`, '--from-backup', name);
    await kubectl(strict)(['wait', '--for=condition=Ready', 'pod/strict', '--timeout=120s']);
    expect(await kubectl(strict)(['exec', 'strict', '--', 'cat', '/data/file'])).toBe('kept');
    const namespaced = JSON.parse(await kubectl('default')(['get', 'namespace', strict, '-o', 'json']));
    expect(namespaced.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
  });

  it('of a deleted pod end with that reason', async () => {
    const key = { namespace: lateen.veleroNamespace, name: `gone-${suffix}` };
    const node = await kubectl(namespace)(['get', `pod/${warehousePod}`, '-o', 'jsonpath={.spec.nodeName}']);
    await lateen.kube.create<PodVolumeBackup>(podVolumeBackupType, {
      apiVersion: 'velero.io/v1',
      kind: 'PodVolumeBackup',
      metadata: key,
      spec: {
        node,
        pod: { kind: 'Pod', namespace, name: 'never-was', uid: 'never-was' },
        volume: 'data',
        backupStorageLocation: 'default',
        repoIdentifier: '',
        uploaderType: 'kopia',
      },
    });
    const ended = await waitForObject<PodVolumeBackup, PodVolumeBackup>({
      api: lateen.kube,
      type: podVolumeBackupType,
      key,
      clock: systemClock,
      signal: within(),
      until: (seen) => (seen !== undefined && isTerminalPhase(seen.status?.phase) ? seen : undefined),
    });
    expect([ended.status?.phase, ended.status?.message]).toEqual([
      'Failed',
      expect.stringContaining(`pod ${namespace}/never-was does not exist any more`),
    ]);
    await lateen.kube.delete(podVolumeBackupType, key);
  });

  it('leave no pod, claim or volume behind', async () => {
    await lose();
    expect(await findLeftovers(before, { ...lateen, clock: systemClock }, within())).toEqual([]);
  });
});

/** A pod that the level "restricted" allows. */
const strictPod = (image: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'strict', annotations: { 'backup.velero.io/backup-volumes': 'data' } },
  spec: {
    terminationGracePeriodSeconds: 0,
    securityContext: { runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        name: 'main',
        image,
        imagePullPolicy: 'IfNotPresent',
        command: ['sleep', 'infinity'],
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        volumeMounts: [{ name: 'data', mountPath: '/data' }],
      },
    ],
    volumes: [{ name: 'data', emptyDir: {} }],
  },
});
