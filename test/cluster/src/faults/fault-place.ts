import { type DaemonSet, daemonSetType, type PodSpec, secretType, volumeSnapshotType } from '@lateen/api-types';
import { systemClock } from '@lateen/kernel';
import { type KubeApi, type KubeObject, keyOf } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import { execa } from 'execa';
import type { LateenUnderTest } from '../environment/provided-lateen.ts';

/** What exists before any fault: a namespace with a volume, and a server that never answers. */
export interface FaultGround {
  lateen: LateenUnderTest;
  /** Namespace of the claim `data`. */
  source: string;
  /** Address of a server that accepts connections and never answers. */
  silent: string;
}

/** The environment of one fault: an installation without the DaemonSet's pods and the controller. */
export interface FaultPlace extends FaultGround {
  kube: KubeApi;
  /** Namespace of the installation, and so of the custom resources and hosting pods. */
  namespace: string;
  /** Creates or changes objects of any kind. */
  apply(...objects: readonly object[]): Promise<void>;
  /** Deletes objects of `apply` outside the namespace; called at the end. */
  remove(...objects: readonly object[]): Promise<void>;
}

const nowhere = { 'lateen.dev/test': 'no-such-node' };

export async function makePlace(
  ground: FaultGround,
  namespace: string,
  template: ((spec: PodSpec) => void) | undefined,
): Promise<FaultPlace> {
  const { lateen } = ground;
  const kubectl = async (verb: readonly string[], objects: readonly object[]) => {
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
    await execa(lateen.kubectl, ['--kubeconfig', lateen.kubeconfig, ...verb, '-f', '-'], { input });
  };
  const place: FaultPlace = {
    ...ground,
    kube: lateen.kube,
    namespace,
    apply: (...objects) => kubectl(['apply'], objects),
    remove: (...objects) => kubectl(['delete', '--ignore-not-found', '--wait=false'], objects),
  };
  await place.apply(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name: 'node-agent' } },
    moversMayDoAnything(namespace),
    await templateOf(lateen, namespace, template),
    await copyOfSecret(lateen, namespace, 'velero-repo-credentials'),
    await copyOfSecret(lateen, namespace, 'cloud-credentials'),
    aLocation(namespace, `http://${ground.silent}:9000`),
    aReadyRepository(namespace, ground.source),
  );
  return place;
}

/** The permissions of the node-agent have tests of their own. */
const moversMayDoAnything = (namespace: string) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { namespace, name: 'movers' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: [{ kind: 'ServiceAccount', namespace, name: 'node-agent' }],
});

/** The installed DaemonSet, scheduled on no node: the agent of this namespace runs in the test. */
async function templateOf(
  { kube, veleroNamespace }: LateenUnderTest,
  namespace: string,
  change: ((spec: PodSpec) => void) | undefined,
): Promise<DaemonSet> {
  const installed = await kube.get(daemonSetType, { namespace: veleroNamespace, name: 'node-agent' });
  const { spec } = structuredClone(installed);
  spec.template.spec.nodeSelector = nowhere;
  change?.(spec.template.spec);
  return { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { namespace, name: 'node-agent' }, spec };
}

async function copyOfSecret(
  { kube, veleroNamespace }: LateenUnderTest,
  namespace: string,
  name: string,
): Promise<object> {
  const { data, type } = await kube.get(secretType, { namespace: veleroNamespace, name });
  return { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name }, type, data };
}

export const aLocation = (namespace: string, s3Url: string) => ({
  apiVersion: 'velero.io/v1',
  kind: 'BackupStorageLocation',
  metadata: { namespace, name: 'default' },
  spec: {
    provider: 'aws',
    objectStorage: { bucket: 'lateen' },
    credential: { name: 'cloud-credentials', key: 'cloud' },
    config: { region: 'us-east-1', s3Url, s3ForcePathStyle: 'true' },
  },
  status: { phase: 'Available' },
});

const aReadyRepository = (namespace: string, volumeNamespace: string) => ({
  apiVersion: 'velero.io/v1',
  kind: 'BackupRepository',
  metadata: {
    namespace,
    name: `${volumeNamespace}-default-kopia`,
    labels: {
      'velero.io/volume-namespace': volumeNamespace,
      'velero.io/storage-location': 'default',
      'velero.io/repository-type': 'kopia',
    },
  },
  spec: {
    volumeNamespace,
    backupStorageLocation: 'default',
    repositoryType: 'kopia',
    resticIdentifier: '',
    maintenanceFrequency: '1h0m0s',
  },
  status: { phase: 'Ready' },
});

/** A new snapshot of the source volume, ready unless it is created from a given content. */
export async function takeSnapshot({ kube, source }: FaultPlace): Promise<string> {
  const snapshot = await kube.create(volumeSnapshotType, {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshot',
    metadata: { namespace: source, generateName: 'fault-' },
    spec: { volumeSnapshotClassName: 'lateen', source: { persistentVolumeClaimName: 'data' } },
  });
  await waitForObject<KubeObject, true>({
    api: kube,
    type: volumeSnapshotType,
    key: keyOf(snapshot),
    clock: systemClock,
    signal: systemClock.deadline(60_000),
    until: (seen) => ((seen as typeof snapshot | undefined)?.status?.readyToUse === true ? true : undefined),
  });
  return snapshot.metadata.name ?? '';
}
