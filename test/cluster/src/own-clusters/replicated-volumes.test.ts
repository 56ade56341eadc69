import { join } from 'node:path';
import {
  dataUploadType,
  labels,
  namespaceType,
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaimType,
  persistentVolumeType,
  podType,
  type StorageClass,
  secretType,
  storageClassType,
  type VolumeSnapshotClass,
  volumeSnapshotClassType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { clusterDown, streamProgress } from '@lateen/cluster';
import { deleteNamespace } from '@lateen/demo';
import { type RunningLateen, startLateen } from '@lateen/installation';
import { systemClock, systemRandom } from '@lateen/kernel';
import { type KubeObject, type ObjectKey, type ResourceType, readObject } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import {
  backupType,
  engineType,
  type Replica,
  replicaType,
  snapshotType,
  volumeAttachmentObjectType,
  volumeType,
} from '@lateen/storage-types';
import { seededRandom } from '@lateen/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { describeChangedBlocks } from '../changed-blocks/describe-changed-blocks.ts';
import { readySnapshot } from '../environment/ready-snapshot.ts';
import { journeyTools } from '../restore/journey-tools.ts';
import { devicesLeft } from '../storage-kills/left-behind.ts';
import { runStorageKills } from '../storage-kills/run-storage-kills.ts';
import { nodeViews, nothingOn } from './replicated/node-view.ts';
import { podOn, replicatedClaim } from './replicated/volume-objects.ts';
import { whatIsThere } from './replicated/what-is-there.ts';

const dir = join(import.meta.dirname, '..', '..', '..', '..', '.lateen', 'replicated-cluster');
const isRoot = process.getuid?.() === 0;
const namespace = 'replicated';
const storageNamespace = 'longhorn-system';
const nodes = ['node-1', 'node-2', 'node-3'] as const;
/** Timeout of the whole test; nothing here is measured. */
const patienceMs = 25 * 60_000;
/** Timeout of one step of one volume: a pod, a snapshot. */
const stepMs = 5 * 60_000;
/** Timeout of the short run of kills, one of each kind; `npm run storage-kills` runs longer ones. */
const killSeed = 152;

/** `longhorn` with a file system that is grown while it is mounted: ext4 allows that only when the driver has CAP_SYS_RESOURCE. */
const xfsClass: StorageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'longhorn-xfs' },
  provisioner: 'driver.longhorn.io',
  parameters: { numberOfReplicas: '3', 'csi.storage.k8s.io/fstype': 'xfs' },
  allowVolumeExpansion: true,
};

/** The scheduler checks capacity only for claims of such a class. */
const waitingClass: StorageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'longhorn-waiting' },
  provisioner: 'driver.longhorn.io',
  parameters: { numberOfReplicas: '2' },
  volumeBindingMode: 'WaitForFirstConsumer',
};

interface StorageCapacity extends KubeObject {
  readonly storageClassName: string;
  readonly maximumVolumeSize?: string;
}
const storageCapacityType: ResourceType<StorageCapacity> = {
  group: 'storage.k8s.io',
  version: 'v1',
  resource: 'csistoragecapacities',
  kind: 'CSIStorageCapacity',
  namespaced: true,
};

/** Snapshots that are backups of blocks in the backup target. */
const backupClass: VolumeSnapshotClass = {
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshotClass',
  metadata: { name: 'longhorn-backup' },
  driver: 'driver.longhorn.io',
  deletionPolicy: 'Delete',
  parameters: { type: 'bak' },
};

/** Files of 24 MiB that cannot be compressed; prints names and content as one digest. */
const fill = 'for n in 1 2 3; do head -c 8M /dev/urandom > file-$n; done; sync -f .';
const digest = 'sha256sum file-* | sha256sum | cut -c1-64 > /dev/termination-log';
const wanted = { spec: { resources: { requests: { storage: '1Gi' } } } };
const untilGrown =
  'for n in $(seq 120); do [ $(df --output=size -BM . | tail -1 | tr -dc 0-9) -gt 900 ] && break; sleep 1; done';
const sizeMiB = "df --output=size -BM . | tail -1 | tr -dc '0-9' > /dev/termination-log";

describe.skipIf(!isRoot)('volumes with replicas on three nodes', () => {
  const progress = streamProgress(process.stderr, systemClock);
  const signal = systemClock.deadline(patienceMs);
  let lateen: RunningLateen;
  let written: string;
  let atSnapshot: string;
  beforeAll(async () => {
    const base = { progress, clock: systemClock, random: systemRandom, signal };
    lateen = await startLateen({ dir, nodes: nodes.length, replicated: true, ...base });
    const metadata = { name: namespace };
    await lateen.kube.create(namespaceType, { apiVersion: 'v1', kind: 'Namespace', metadata });
    await lateen.kube.create(storageClassType, xfsClass);
    await lateen.kube.create(storageClassType, waitingClass);
  }, patienceMs);
  // Printed here, because the cluster is removed before the failure is read.
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail')
      process.stderr.write(`What was there after: ${task.name}\n${await whatIsThere(lateen, storageNamespace)}\n`);
  }, stepMs);
  afterAll(async () => {
    await lateen?.close();
    // Fails when any part of the cluster is left on this machine.
    await clusterDown({ dir, progress });
  }, patienceMs);

  const until = <T extends KubeObject>(type: ResourceType<T>, key: ObjectKey, holds: (seen: T) => boolean) =>
    waitForObject<T, T>({
      api: lateen.kube,
      type,
      key,
      clock: systemClock,
      signal: AbortSignal.any([signal, systemClock.deadline(stepMs)]),
      until: (seen) => (seen !== undefined && holds(seen) ? seen : undefined),
    });

  /** Deletes it and waits until it is gone. */
  async function gone<T extends KubeObject>(type: ResourceType<T>, name: string): Promise<void> {
    const key = { namespace, name };
    await lateen.kube.delete(type, key);
    await vi.waitFor(async () => expect(await readObject(lateen.kube, type, key, signal)).toBeUndefined(), {
      timeout: stepMs,
      interval: 500,
    });
  }

  /** The output of a script in a pod on that node; the pod is deleted when this resolves. */
  async function onNode(node: string, claim: string, script: string): Promise<string> {
    const name = `${claim}-on-${node}`;
    await lateen.kube.create(podType, podOn({ namespace, image: lateen.image, node }, name, claim, script));
    const ended = await until<Pod>(podType, { namespace, name }, ({ status }) =>
      ['Succeeded', 'Failed'].includes(status?.phase ?? ''),
    );
    const message = ended.status?.containerStatuses?.[0]?.state?.terminated?.message?.trim() ?? '';
    expect({ phase: ended.status?.phase, message }).toMatchObject({ phase: 'Succeeded' });
    await gone(podType, name);
    return message;
  }

  const snapshotNamed = (name: string) => ({ apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name });

  async function claimFrom(name: string, dataSource: { apiGroup?: string; kind: string; name: string }): Promise<void> {
    const claim = replicatedClaim(namespace, name, { storage: '1Gi', storageClass: 'longhorn-xfs' });
    await lateen.kube.create(persistentVolumeClaimType, { ...claim, spec: { ...claim.spec, dataSource } });
  }

  const claimOf = (name: string) => lateen.kube.get(persistentVolumeClaimType, { namespace, name });
  const inNamespace = { namespace: storageNamespace } as const;

  it(
    'report the capacity of each node to the scheduler, so that a pod without room for its volume is not scheduled',
    async () => {
      const owner = { kind: 'Deployment', name: 'volume-manager-csi' };
      const known = {
        metadata: { ownerReferences: [expect.objectContaining(owner)] },
        // Nothing at first, until the disks are registered; it is requested each 30 s.
        maximumVolumeSize: expect.stringMatching(/^[1-9]/),
      };
      const areKnown = async () => {
        const { items } = await lateen.kube.list<StorageCapacity>(storageCapacityType, inNamespace);
        const ofClass = items.filter(({ storageClassName }) => storageClassName === 'longhorn-waiting');
        expect(ofClass).toMatchObject(nodes.map(() => known));
      };
      await vi.waitFor(areKnown, { timeout: stepMs, interval: 500 });
      const claims = { fits: '256Mi', huge: '900Ti' };
      for (const [name, storage] of Object.entries(claims))
        await lateen.kube.create(
          persistentVolumeClaimType,
          replicatedClaim(namespace, name, { storage, storageClass: 'longhorn-waiting' }),
        );
      expect(await onNode(nodes[1], 'fits', 'echo there > /dev/termination-log')).toBe('there');
      const pod = podOn({ namespace, image: lateen.image, node: nodes[1] }, 'huge', 'huge', 'true');
      await lateen.kube.create(podType, pod);
      const unscheduled = await until<Pod>(podType, { namespace, name: 'huge' }, ({ status }) =>
        (status?.conditions ?? []).some(({ message = '' }) => message.includes('not have enough free storage')),
      );
      expect(unscheduled.spec?.nodeName).toBeUndefined();
      expect((await claimOf('huge')).spec.volumeName).toBeUndefined();
      await gone(podType, 'huge');
      for (const name of Object.keys(claims)) await gone(persistentVolumeClaimType, name);
      const replicas = async () => (await lateen.kube.list<Replica>(replicaType, inNamespace)).items;
      await vi.waitFor(async () => expect(await replicas()).toEqual([]), { timeout: stepMs, interval: 500 });
    },
    patienceMs,
  );

  it(
    'have a replica on each node, and data that a pod wrote can be read by a pod on another node',
    async () => {
      await lateen.kube.create(
        persistentVolumeClaimType,
        replicatedClaim(namespace, 'data', { storage: '512Mi', storageClass: 'longhorn-xfs' }),
      );
      written = await onNode(nodes[0], 'data', `${fill}; ${digest}`);
      expect(written).toMatch(/^[0-9a-f]{64}$/);
      const { items } = await lateen.kube.list<Replica>(replicaType, inNamespace);
      expect(items.map(({ spec }) => spec.nodeID).toSorted()).toEqual(nodes);
      expect(await onNode(nodes[1], 'data', digest)).toBe(written);
    },
    patienceMs,
  );

  it(
    'have snapshots, which every replica has',
    async () => {
      const snapshot = { namespace, claim: 'data', name: 'before', volumeSnapshotClass: 'longhorn-snapshot-vsc' };
      const ready = await readySnapshot(lateen.kube, { ...snapshot, signal: systemClock.deadline(stepMs) });
      expect(ready.status?.readyToUse).toBe(true);
      const { items } = await lateen.kube.list(snapshotType, inNamespace);
      expect(items.map(({ spec, status }) => [spec.volume, status?.readyToUse])).toContainEqual([
        (await volumeKey()).name,
        true,
      ]);
      const changed = await onNode(nodes[2], 'data', `head -c 8M /dev/urandom > file-2; sync -f .; ${digest}`);
      expect(changed).not.toBe(written);
      atSnapshot = written;
      written = changed;
    },
    patienceMs,
  );

  it(
    'can be expanded while they are mounted, and keep their data',
    async () => {
      await lateen.kube.patch(persistentVolumeClaimType, { namespace, name: 'data' }, { type: 'merge', body: wanted });
      await until(volumeType, await volumeKey(), ({ spec }) => spec.size === String(2 ** 30));
      // The node grows the file system when it is mounted.
      expect(Number(await onNode(nodes[1], 'data', `${untilGrown}; ${sizeMiB}`))).toBeGreaterThan(900);
      expect(await onNode(nodes[2], 'data', digest)).toBe(written);
      await until<PersistentVolumeClaim>(
        persistentVolumeClaimType,
        { namespace, name: 'data' },
        ({ status }) => status?.capacity?.storage === '1Gi',
      );
    },
    patienceMs,
  );

  it(
    'are backed up with a namespace by Lateen, as files and as a device, and restored with the same bytes',
    async () => {
      const name = `app-${namespace}`;
      const app = journeyTools({ ...lateen, storageClass: 'longhorn-xfs' }, { namespace: name, mark: `test=${name}` });
      await app.kubectl('create', 'namespace', name);
      await app.apply('replicated.yaml');
      await app.rollout(name);
      const fillBoth = `cd /files; ${fill}; head -c 16M /dev/urandom | dd of=/dev/blocks bs=1M seek=7 conv=fsync,notrunc 2>/dev/null`;
      const read = 'cd /files; (cat file-*; cat /dev/blocks) | sha256sum';
      await app.inPod(name, fillBoth);
      const before = await app.inPod(name, read);
      await app.backUp(name, '--snapshot-move-data');
      const labelSelector = `${labels.backupName}=${name}`;
      const uploads = async () =>
        (await lateen.kube.list(dataUploadType, { namespace: lateen.veleroNamespace, labelSelector })).items;
      expect((await uploads()).map(({ status }) => status?.phase)).toEqual(['Completed', 'Completed']);
      await deleteNamespace(lateen.kube, name, systemClock, signal);
      await app.restore(name, '--from-backup', name);
      await app.rollout(name);
      expect(await app.inPod(name, read)).toBe(before);
      const downloads = await app.downloadsOf(name);
      expect(downloads.map(({ status }) => status?.phase)).toEqual(['Completed', 'Completed']);
      await deleteNamespace(lateen.kube, name, systemClock, signal);
      const deleted = await app.cli('backup', 'delete', name, '--confirm', '--wait');
      expect([deleted.exitCode, deleted.stderr]).toEqual([0, expect.anything()]);
      expect(await uploads()).toEqual([]);
    },
    patienceMs,
  );

  it(
    'can be created from another volume or a snapshot',
    async () => {
      await claimFrom('clone', { kind: 'PersistentVolumeClaim', name: 'data' });
      await claimFrom('then', snapshotNamed('before'));
      expect(await onNode(nodes[2], 'clone', digest)).toBe(written);
      expect(await onNode(nodes[0], 'then', digest)).toBe(atSnapshot);
      for (const name of ['clone', 'then']) await gone(persistentVolumeClaimType, name);
    },
    patienceMs,
  );

  const replicated = { driver: 'driver.longhorn.io', storageClass: 'longhorn', snapshotClass: 'longhorn-snapshot-vsc' };
  // Before the backup of blocks: its folder in the bucket makes location default Unavailable, as with Velero.
  describeChangedBlocks(replicated, () => lateen);

  it(
    'are backed up as blocks to a bucket through a VolumeSnapshot, and restored from there',
    async () => {
      const app = journeyTools(lateen, { namespace: storageNamespace, mark: 'test=blocks' });
      const { cluster, bucket } = lateen;
      if (cluster === undefined || bucket === undefined) throw new Error('there is no cluster of our own');
      const { s3 } = cluster;
      await lateen.kube.create(secretType, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: storageNamespace, name: 's3' },
        stringData: {
          AWS_ACCESS_KEY_ID: s3.accessKey,
          AWS_SECRET_ACCESS_KEY: s3.secretKey,
          AWS_ENDPOINTS: s3.endpointForPods,
        },
      });
      const url = `s3://${s3.bucket}@${s3.region}/blocks/`;
      const set = await app.cli('storage', 'backup-target', 'set', 'default', '--url', url, '--secret', 's3');
      expect([set.exitCode, set.stderr]).toEqual([0, '']);
      await lateen.kube.create(volumeSnapshotClassType, backupClass);
      const names = ['first', 'second'];
      for (const [n, name] of names.entries()) {
        if (n > 0) written = await onNode(nodes[1], 'data', `head -c 1M /dev/urandom > file-3; sync -f .; ${digest}`);
        const asked = { namespace, claim: 'data', name, volumeSnapshotClass: backupClass.metadata.name ?? '' };
        await readySnapshot(lateen.kube, { ...asked, signal: systemClock.deadline(stepMs) });
      }
      const { items } = await lateen.kube.list(backupType, inNamespace);
      const uploaded = items.map(({ status }) => Number(status?.newlyUploadDataSize ?? 0)).toSorted((a, b) => b - a);
      expect(items.map(({ status }) => status?.state)).toEqual(['Completed', 'Completed']);
      expect(uploaded[0]).toBeGreaterThan(24 * 2 ** 20);
      // The second backup has the blocks of 2 MiB that were written between them.
      expect(uploaded[1]).toBeLessThan(16 * 2 ** 20);
      await claimFrom('restored', snapshotNamed('second'));
      expect(await onNode(nodes[2], 'restored', digest)).toBe(written);
      await gone(persistentVolumeClaimType, 'restored');
      for (const name of names) await gone(volumeSnapshotType, name);
      const patience = { timeout: stepMs, interval: 1_000 };
      const blocks = async () => {
        const keys: string[] = [];
        for await (const { key } of bucket.list('blocks/')) if (key.endsWith('.blk')) keys.push(key);
        return keys;
      };
      await vi.waitFor(async () => expect(await blocks()).toEqual([]), patience);
    },
    patienceMs,
  );

  async function volumeKey(): Promise<ObjectKey> {
    return { namespace: storageNamespace, name: (await claimOf('data')).spec.volumeName ?? '' };
  }

  it(
    'leave nothing behind when they are deleted: no object, process, device or folder',
    async () => {
      const { name: volume } = await volumeKey();
      await gone(volumeSnapshotType, 'before');
      await gone(persistentVolumeClaimType, 'data');
      const kinds = [volumeType, engineType, replicaType, snapshotType, volumeAttachmentObjectType];
      const left = async () => {
        const lists = await Promise.all([
          ...kinds.map((type) => lateen.kube.list(type as ResourceType<KubeObject>, inNamespace)),
          lateen.kube.list(persistentVolumeType as ResourceType<KubeObject>),
        ]);
        return lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.name));
      };
      const patience = { timeout: stepMs, interval: 1_000 };
      await vi.waitFor(async () => expect(await left()).toEqual([]), patience);
      await vi.waitFor(
        async () => expect(await nodeViews(lateen.kube, storageNamespace, signal)).toEqual(nodes.map(nothingOn)),
        patience,
      );
      await vi.waitFor(async () => expect(await devicesLeft(dir, volume)).toEqual([]), patience);
    },
    patienceMs,
  );

  it(
    'lose no acknowledged write when processes, a manager, a node and a network are killed',
    async () => {
      if (lateen.cluster === undefined) throw new Error('there is no cluster of our own');
      const random = seededRandom(killSeed);
      const say = (text: string) => process.stderr.write(`${text}\n`);
      const kinds = ['replica', 'engine', 'instance-manager', 'manager', 'node', 'network'] as const;
      const run = { ...lateen, cluster: lateen.cluster, clock: systemClock, random, kinds, kills: kinds.length, say };
      const { rows, acknowledged, fio, differ, leftovers } = await runStorageKills({ ...run, signal });
      expect(rows.map(({ kind }) => kind).toSorted()).toEqual([...kinds].toSorted());
      expect(acknowledged).toBeGreaterThan(0);
      expect(fio.whole).toBeGreaterThan(0);
      expect({ differ, leftovers }).toEqual({ differ: [], leftovers: [] });
    },
    patienceMs,
  );
});
