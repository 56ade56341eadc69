import {
  type DataDownload,
  dataDownloadType,
  isTerminalPhase,
  labels,
  type PersistentVolume,
  persistentVolumeClaimType,
  persistentVolumeType,
} from '@lateen/api-types';
import {
  createWorkload,
  deleteNamespace,
  findLeftovers,
  type Inventory,
  podName,
  podShell,
  pvcName,
  takeInventory,
  waitForPod,
} from '@lateen/demo';
import { systemClock, systemRandom } from '@lateen/kernel';
import { isNotFound, keyOf, type ResourceType, type Unstructured } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aDataDownload, aDataUpload, createDownload, createUpload } from './environment/movement-of.ts';
import { type LateenUnderTest, lateenUnderTest } from './environment/provided-lateen.ts';
import { readySnapshot } from './environment/ready-snapshot.ts';

const signal = AbortSignal.any([]);
const suffix = systemRandom.suffix(5);
const [source, target] = [`rebind-${suffix}`, `rebind-${suffix}-restored`];
const policyName = `${target}.example`;
const waitMsMax = 120_000;

const admissionType = (kind: string, resource: string): ResourceType<Unstructured> => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind,
  resource,
  namespaced: false,
});
const policyType = admissionType('ValidatingAdmissionPolicy', 'validatingadmissionpolicies');
const bindingType = admissionType('ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings');

let lateen: LateenUnderTest;
let before: Inventory;

beforeAll(async () => {
  lateen = await lateenUnderTest();
  before = await takeInventory(lateen.kube, lateen.veleroNamespace, signal);
});
afterAll(async () => {
  await letBind();
  for (const name of [source, target]) await deleteNamespace(lateen.kube, name, systemClock, signal);
  await lateen.kube.close();
});

/** Prevents the binder of this cluster from setting a volume for the target to Bound. */
async function keepFromBinding(): Promise<void> {
  const ofTarget = `has(object.spec.claimRef) && object.spec.claimRef.namespace == '${target}'`;
  const resources = ['persistentvolumes/status'];
  await lateen.kube.create(policyType, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: policyType.kind,
    metadata: { name: policyName },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources }],
      },
      validations: [{ expression: `!(${ofTarget} && object.status.phase == 'Bound')`, message: 'not today' }],
    },
  });
  await lateen.kube.create(bindingType, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: bindingType.kind,
    metadata: { name: policyName },
    spec: { policyName, validationActions: ['Deny'] },
  });
}

async function letBind(): Promise<void> {
  for (const type of [bindingType, policyType]) {
    await lateen.kube.delete(type, { name: policyName }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}

const sh = (namespace: string, script: string) =>
  podShell({ ...lateen, namespace, pod: podName, signal }).run(['sh', '-euc', script]);
const theClaim = () => lateen.kube.get(persistentVolumeClaimType, { namespace: target, name: pvcName });
const workload = () => ({ image: lateen.image, storageClass: lateen.storageClass, volumeSize: '64Mi' });

/** A pod that waits for its volume, and its claim as Velero's restore creates it: nothing else may be bound to it. */
async function createTarget(): Promise<void> {
  await createWorkload(lateen.kube, { ...workload(), namespace: target, withPvc: false }, signal);
  await lateen.kube.create(persistentVolumeClaimType, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: target, name: pvcName },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: lateen.storageClass,
      resources: { requests: { storage: '64Mi' } },
      selector: { matchLabels: { [labels.dynamicPvRestore]: `${target}.${pvcName}.abcde` } },
    },
  });
}

async function uploaded(): Promise<string> {
  const snapshot = await readySnapshot(lateen.kube, { namespace: source, claim: pvcName });
  const csiSnapshot = {
    volumeSnapshot: snapshot.metadata.name ?? '',
    storageClass: lateen.storageClass,
    snapshotClass: 'lateen',
    driver: 'csi.lateen.dev',
  };
  const spec = { csiSnapshot, sourceNamespace: source, sourcePVC: pvcName, operationTimeout: '2m0s' };
  const { status } = await createUpload(lateen.kube, aDataUpload(lateen.veleroNamespace, source, spec));
  expect(status).toMatchObject({ phase: 'Completed' });
  return status?.snapshotID ?? '';
}

const aDownload = (name: string, snapshotID: string) => {
  const targetVolume = { namespace: target, pvc: pvcName, pv: '' };
  const spec = { snapshotID, sourceNamespace: source, targetVolume, operationTimeout: '5m0s' };
  return aDataDownload(lateen.veleroNamespace, name, spec);
};

const waits = () => ({ api: lateen.kube, clock: systemClock, signal: systemClock.deadline(waitMsMax) });

/** The restored volume, when it is reserved for the target claim. */
async function offeredVolume(download: DataDownload): Promise<PersistentVolume> {
  const name = await waitForObject({
    ...waits(),
    type: persistentVolumeClaimType,
    key: keyOf(download),
    until: (claim) => claim?.spec.volumeName,
  });
  return await waitForObject({
    ...waits(),
    type: persistentVolumeType,
    key: { name },
    until: (volume) => (volume?.spec.claimRef?.namespace === target ? volume : undefined),
  });
}

describe('a restored volume that the binder of a real cluster cannot bind', () => {
  it('is deleted by a cancel, with its data, and the next restore can use the claim', async () => {
    await keepFromBinding();
    await createWorkload(lateen.kube, { ...workload(), namespace: source, withPvc: true }, signal);
    await waitForPod(lateen.kube, source, systemClock, systemClock.deadline(waitMsMax));
    await sh(source, 'head -c 300000 /dev/urandom > /data/file; sync /data/file');
    const sum = await sh(source, 'cd /data; sha256sum file');
    const snapshotID = await uploaded();

    await createTarget();
    const first = await lateen.kube.create(dataDownloadType, aDownload(`${target}-1`, snapshotID));
    const volume = await offeredVolume(first);
    expect((await theClaim()).spec.volumeName).toBeUndefined();
    const cancel = { type: 'merge', body: { spec: { cancel: true } } } as const;
    await lateen.kube.patch(dataDownloadType, keyOf(first), cancel);
    const phase = await waitForObject({
      ...waits(),
      type: dataDownloadType,
      key: keyOf(first),
      until: (seen) => (isTerminalPhase(seen?.status?.phase) ? seen?.status?.phase : undefined),
    });
    expect(phase).toBe('Canceled');
    await waitForObject({
      ...waits(),
      type: persistentVolumeType,
      key: keyOf(volume),
      until: (seen) => (seen === undefined ? true : undefined),
    });
    expect((await theClaim()).spec.volumeName).toBeUndefined();
    await lateen.kube.delete(dataDownloadType, keyOf(first));

    await letBind();
    const { status } = await createDownload(lateen.kube, aDownload(`${target}-2`, snapshotID));
    expect(status).toMatchObject({ phase: 'Completed' });
    expect((await theClaim()).status?.phase).toBe('Bound');
    await waitForPod(lateen.kube, target, systemClock, systemClock.deadline(waitMsMax));
    expect(await sh(target, 'cd /data; sha256sum file')).toBe(sum);

    for (const name of [source, target]) await deleteNamespace(lateen.kube, name, systemClock, signal);
    const left = await findLeftovers(before, { ...lateen, clock: systemClock }, signal);
    // The repository of the source's namespace is meant to stay.
    expect(left.filter((each) => !/backuprepositor/i.test(each))).toEqual([]);
  });
});
