import { type SnapshotMetadataService, snapshotMetadataServiceTypes } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { isNotFound, type KubeApi, type KubeObject, type ResourceType } from '@lateen/kube';

interface Service extends KubeObject {
  readonly spec?: { readonly clusterIP?: string; readonly ports?: readonly { readonly port: number }[] };
}

const serviceType: ResourceType<Service> = {
  group: '',
  version: 'v1',
  kind: 'Service',
  resource: 'services',
  namespaced: true,
};

const csiDriverType: ResourceType<KubeObject> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSIDriver',
  resource: 'csidrivers',
  namespaced: false,
};

/** Address of a Service inside the cluster. */
export interface ServiceAddress {
  readonly ip: string;
  readonly port: number;
}

/** @throws AppError METADATA_SERVICE_WRONG for one without an address; KUBE_NOT_FOUND */
export async function serviceAddress(
  kube: KubeApi,
  key: { namespace: string; name: string },
  signal: AbortSignal,
): Promise<ServiceAddress> {
  const { spec } = await kube.get(serviceType, key, { signal });
  const [port] = spec?.ports ?? [];
  if (spec?.clusterIP && spec.clusterIP !== 'None' && port !== undefined)
    return { ip: spec.clusterIP, port: port.port };
  throw new AppError('METADATA_SERVICE_WRONG', `Service ${key.namespace}/${key.name} has no cluster IP and port`, {
    retry: 'later',
    nextStep: 'Install it again from the manifests of this version.',
  });
}

/**
 * Says in the cluster where the blocks of this driver's snapshots are told: applies the SnapshotMetadataService, in the version that the cluster serves. The CSIDriver
 * owns it, so it goes with the driver. Safe to repeat.
 * @throws AppError METADATA_KIND_MISSING when the cluster does not know the kind
 */
export async function announceService(
  kube: KubeApi,
  driver: string,
  spec: SnapshotMetadataService['spec'],
  signal: AbortSignal,
): Promise<void> {
  const { metadata } = await kube.get(csiDriverType, { name: driver }, { signal });
  const owner = { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', name: driver, uid: metadata.uid ?? '' };
  for (const type of snapshotMetadataServiceTypes) {
    const body: SnapshotMetadataService = {
      apiVersion: `${type.group}/${type.version}`,
      kind: type.kind,
      metadata: { name: driver, labels: { 'app.kubernetes.io/part-of': 'lateen' }, ownerReferences: [owner] },
      spec,
    };
    const patch = { type: 'apply', body, force: true } as const;
    try {
      await kube.patch(type, { name: driver }, patch, { fieldManager: 'lateen-volume-manager', signal });
      return;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  throw new AppError('METADATA_KIND_MISSING', 'the cluster does not know the kind SnapshotMetadataService', {
    retry: 'later',
    nextStep: 'Apply deploy/base/snapshot-metadata; until then backups read whole volumes.',
  });
}
