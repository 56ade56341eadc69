import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  annotations,
  attemptOf,
  backupStorageLocationType,
  type DataDownload,
  dataDownloadType,
  isTerminalPhase,
  namespaceType,
  type Pod,
  persistentVolumeClaimType,
  podType,
} from '@lateen/api-types';
import { clusterDown, type NodeInfo, streamProgress } from '@lateen/cluster';
import { type RunningLateen, startLateen } from '@lateen/installation';
import { systemClock, systemRandom } from '@lateen/kernel';
import { type KubeObject, keyOf, type ObjectKey, type ResourceType } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aDataDownload, aDataUpload, createUpload } from '../environment/movement-of.ts';
import { readySnapshot } from '../environment/ready-snapshot.ts';
import { digestOf } from '../kills/lane.ts';
import { claim, digestPod, fillPod } from '../kills/lane-objects.ts';
import { podProcesses } from '../kills/pod-processes.ts';
import { cutFromApiServer } from './cut-network/cut-node.ts';
import { restoredMoreThan } from './cut-network/restoring-engine.ts';

const dir = join(import.meta.dirname, '..', '..', '..', '..', '.lateen', 'cut-cluster');
const isRoot = process.getuid?.() === 0;
const namespace = 'cut';
/** The restore takes about eight minutes at this rate, much longer than a mover may run without confirmation. */
const slowly = '100Ki';
/** Time in which a mover that does not know that it is cut off writes something. */
const writesWithinMs = 110_000;
/** Timeout of the whole test; nothing here is measured. */
const patienceMs = 25 * 60_000;

const onNode = (pod: Pod, node: string): Pod => ({
  ...pod,
  spec: { ...pod.spec, nodeSelector: { 'kubernetes.io/hostname': node } },
});

describe.skipIf(!isRoot)('a node that is cut off from the API server while a restore writes to a volume there', () => {
  const progress = streamProgress(process.stderr, systemClock);
  const signal = systemClock.deadline(patienceMs);
  let lateen: RunningLateen;
  let heal = async () => {};
  beforeAll(async () => {
    const nodes = 2;
    lateen = await startLateen({ dir, nodes, progress, clock: systemClock, random: systemRandom, signal });
  }, patienceMs);
  afterAll(async () => {
    await heal();
    await lateen?.close();
    await clusterDown({ dir, progress });
  }, patienceMs);

  const until = <T extends KubeObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    holds: (seen: T) => boolean,
  ): Promise<T> =>
    waitForObject<T, T>({
      api: lateen.kube,
      type,
      key,
      clock: systemClock,
      signal,
      until: (seen) => (seen !== undefined && holds(seen) ? seen : undefined),
    });

  /** A restore on that node, slow enough to be cut off while it runs. */
  async function slowRestore(node: NodeInfo): Promise<{ key: ObjectKey; lane: Parameters<typeof digestOf>[0] }> {
    const { kube, veleroNamespace, storageClass, image } = lateen;
    const lane = {
      kube,
      clock: systemClock,
      veleroNamespace,
      namespace,
      storageClass,
      image,
      source: 'data',
      digest: '',
      signal,
    };
    await kube.create(namespaceType, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await kube.create(persistentVolumeClaimType, claim(lane, 'data', { dynamic: false }));
    const filling = await kube.create(podType, fillPod(lane, 'data', node.name));
    const digest = await digestOf(lane, 'data', signal);
    await kube.delete(podType, keyOf(filling));
    await readySnapshot(kube, { namespace, claim: 'data', name: 'data' });
    const csiSnapshot = { volumeSnapshot: 'data', storageClass, driver: 'csi.lateen.dev' };
    // restic keeps a rate from second to second, kopia only on average over minutes.
    const dataMoverConfig = { UploaderType: 'restic' };
    const moved = { sourceNamespace: namespace, operationTimeout: '10m', dataMoverConfig };
    const upload = await createUpload(
      kube,
      aDataUpload(veleroNamespace, 'cut-up', { csiSnapshot, sourcePVC: 'data', ...moved }),
    );
    expect(upload.status).toMatchObject({ phase: 'Completed' });
    await setRate(slowly);
    await kube.create(persistentVolumeClaimType, claim(lane, 'restored', { dynamic: true }));
    await kube.create(podType, onNode(digestPod(lane, 'restored'), node.name));
    const created = await kube.create<DataDownload>(dataDownloadType, {
      ...aDataDownload(veleroNamespace, 'cut-down', {
        targetVolume: { namespace, pvc: 'restored', pv: '' },
        snapshotID: upload.status?.snapshotID ?? '',
        ...moved,
      }),
    });
    return { key: keyOf(created), lane: { ...lane, digest } };
  }

  async function setRate(rate: string | null): Promise<void> {
    const key = { namespace: lateen.veleroNamespace, name: 'default' };
    const body = { metadata: { annotations: { [annotations.downloadBytesPerSecond]: rate } } };
    await lateen.kube.patch(backupStorageLocationType, key, { type: 'merge', body });
  }

  /** The log of that pod's mover, read from the node's disk. */
  async function logOf(node: NodeInfo, podUid: string): Promise<string> {
    const pods = join(node.varLogDir, 'pods');
    const folder = (await readdir(pods)).find((name) => name.endsWith(podUid)) ?? '';
    const files = (await readdir(join(pods, folder), { recursive: true })).filter((name) => name.endsWith('.log'));
    return (await Promise.all(files.map((name) => readFile(join(pods, folder, name), 'utf8')))).join('\n');
  }

  it(
    'has no writer left when the next attempt starts, although the mover cannot be ended from outside; then the restore completes, equal',
    async () => {
      const { kube } = lateen;
      const node = lateen.cluster?.nodes[1];
      if (node === undefined) throw new Error('the cluster has no second node');
      const { key, lane } = await slowRestore(node);
      await until(dataDownloadType, key, ({ status }) => status?.phase === 'InProgress');
      const pod = await kube.get(podType, key);
      const uid = pod.metadata.uid ?? '';
      expect(pod.spec.nodeName).toBe(node.name);
      const before = await restoredMoreThan(uid, 0, signal);

      heal = await cutFromApiServer(node.netns);
      await kube.delete(podType, key, { gracePeriodSeconds: 0 });
      // Its pod object is gone, and it still writes: it has not been told, and cannot be.
      await restoredMoreThan(uid, before, systemClock.deadline(writesWithinMs));

      const second = await until(podType, key, (seen) => attemptOf(seen) === 2);
      expect(second.metadata.uid).not.toBe(uid);
      // All processes except the one that holds the pod's namespaces.
      const left = (await podProcesses(uid)).filter(({ command }) => !command.includes('pause'));
      expect(left).toEqual([]);
      expect(await logOf(node, uid)).toMatch(/has not confirmed for 2m0s that this attempt continues/);
      const waiting = await kube.get(dataDownloadType, key);
      expect(waiting.status).toMatchObject({ phase: 'Accepted', acceptedByNode: 'node-1' });

      await setRate(null);
      await heal();
      const ended = await until(dataDownloadType, key, ({ status }) => isTerminalPhase(status?.phase));
      expect(ended.status).toMatchObject({ phase: 'Completed', node: node.name });
      expect(attemptOf(ended)).toBe(2);
      expect(await digestOf(lane, 'restored', signal)).toBe(lane.digest);
    },
    patienceMs,
  );
});
