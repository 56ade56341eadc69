import {
  serviceAccountType,
  snapshotMetadataServiceTypes,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { snapshotCrds, snapshotMetadataCrds } from '@lateen/cluster';
import { systemClock } from '@lateen/kernel';
import type { KubeApi, KubeObject, ResourceType, Unstructured } from '@lateen/kube';
import { load } from 'js-yaml';

/** The namespace of all objects. */
export const namespace = 'velero';
/** A service account that may get VolumeSnapshots there. */
export const mover = { namespace, name: 'mover' };
/** A service account without permissions. */
export const nobody = { namespace, name: 'nobody' };
export const audience = 'lateen-test';

const type = (group: string, kind: string, resource: string, namespaced: boolean): ResourceType<Unstructured> => ({
  group,
  version: 'v1',
  kind,
  resource,
  namespaced,
});
const definitionType = type('apiextensions.k8s.io', 'CustomResourceDefinition', 'customresourcedefinitions', false);
const rbac = 'rbac.authorization.k8s.io';

/** Definitions, namespace, service accounts and class. */
export async function prepareObjects(kube: KubeApi, driver: string): Promise<void> {
  for (const { name, text } of [...(await snapshotCrds()), ...(await snapshotMetadataCrds())]) {
    const body = load(text) as Unstructured;
    await kube.patch(definitionType, { name }, { type: 'apply', body, force: true }, { fieldManager: 'test' });
  }
  for (const served of [volumeSnapshotType, volumeSnapshotContentType, sidecarServiceType])
    await untilServed(kube, served);
  await kube.create(type('', 'Namespace', 'namespaces', false), {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  });
  for (const { name } of [mover, nobody])
    await kube.create(serviceAccountType, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name } });
  const metadata = { namespace, name: 'snapshots' };
  await kube.create(type(rbac, 'Role', 'roles', true), {
    apiVersion: `${rbac}/v1`,
    kind: 'Role',
    metadata,
    rules: [{ apiGroups: ['snapshot.storage.k8s.io'], resources: ['volumesnapshots'], verbs: ['get'] }],
  });
  await kube.create(type(rbac, 'RoleBinding', 'rolebindings', true), {
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: rbac, kind: 'Role', name: 'snapshots' },
    subjects: [{ kind: 'ServiceAccount', ...mover }],
  });
  await kube.create(type('snapshot.storage.k8s.io', 'VolumeSnapshotClass', 'volumesnapshotclasses', false), {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotClass',
    metadata: { name: 'class' },
    driver,
    deletionPolicy: 'Delete',
  });
}

/** In the version that the pinned sidecar reads. */
const sidecarServiceType = snapshotMetadataServiceTypes[1];

export async function untilServed(kube: KubeApi, wanted: ResourceType): Promise<void> {
  const isServed = () =>
    kube.list(wanted, { limit: 1 }).then(
      () => true,
      () => false,
    );
  while (!(await isServed())) await systemClock.sleep(100);
}

/** Publishes the address of the driver's service; replaces an earlier one. */
export async function tellService(kube: KubeApi, driver: string, place: { address: string; authority: string }) {
  const caCert = Buffer.from(place.authority).toString('base64');
  const body = {
    apiVersion: 'cbt.storage.k8s.io/v1alpha1',
    kind: 'SnapshotMetadataService',
    metadata: { name: driver },
    spec: { address: place.address, audience, caCert },
  };
  const key = { name: driver };
  await kube.patch(sidecarServiceType, key, { type: 'apply', body, force: true }, { fieldManager: 'test' });
}

/** A VolumeSnapshot with its content, in the state after the driver has taken the snapshot. */
export async function tellSnapshot(kube: KubeApi, driver: string, name: string, snapshotHandle: string): Promise<void> {
  const apiVersion = 'snapshot.storage.k8s.io/v1';
  const snapshot = await kube.create(volumeSnapshotType, {
    apiVersion,
    kind: 'VolumeSnapshot',
    metadata: { namespace, name },
    spec: { source: { volumeSnapshotContentName: name }, volumeSnapshotClassName: 'class' },
  });
  await kube.create(volumeSnapshotContentType, {
    apiVersion,
    kind: 'VolumeSnapshotContent',
    metadata: { name },
    spec: {
      deletionPolicy: 'Delete',
      driver,
      source: { snapshotHandle },
      volumeSnapshotClassName: 'class',
      volumeSnapshotRef: { apiVersion, kind: 'VolumeSnapshot', namespace, name, uid: snapshot.metadata.uid ?? '' },
    },
  });
  const ready = (status: object) => ({ type: 'merge', body: { status: { readyToUse: true, ...status } } }) as const;
  const status = { subresource: 'status' };
  await kube.patch<KubeObject>(volumeSnapshotContentType, { name }, ready({ snapshotHandle }), status);
  const bound = ready({ boundVolumeSnapshotContentName: name });
  await kube.patch<KubeObject>(volumeSnapshotType, { namespace, name }, bound, status);
}
