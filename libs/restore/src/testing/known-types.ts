import type { Unstructured } from '@lateen/api-types';
import { type DiscoveredType, groupResourceText } from '@lateen/kube';
import type { CatalogItem } from '../engine/contract.ts';

/** The types that the cluster of these tests serves, by `group/Kind`. */
export const knownTypes = new Map(
  [
    ['Pod', 'pods', true],
    ['ConfigMap', 'configmaps', true],
    ['Secret', 'secrets', true],
    ['Service', 'services', true],
    ['ServiceAccount', 'serviceaccounts', true],
    ['PersistentVolume', 'persistentvolumes', false],
    ['PersistentVolumeClaim', 'persistentvolumeclaims', true],
    ['apps/Deployment', 'deployments', true],
    ['apps/ReplicaSet', 'replicasets', true],
    ['batch/Job', 'jobs', true],
    ['storage.k8s.io/StorageClass', 'storageclasses', false],
    ['apiextensions.k8s.io/CustomResourceDefinition', 'customresourcedefinitions', false],
    ['velero.io/DataUpload', 'datauploads', true],
    ['example.org/Gadget', 'gadgets', true],
  ].map(([key, resource, namespaced]) => [String(key), typeNamed(String(key), String(resource), namespaced === true)]),
);

function typeNamed(key: string, resource: string, namespaced: boolean): DiscoveredType {
  const [kind = '', group = ''] = key.split('/').toReversed();
  const version = group === 'velero.io' ? 'v2alpha1' : 'v1';
  return {
    group,
    version,
    resource,
    kind,
    namespaced,
    verbs: [],
    shortNames: [],
    singular: kind.toLowerCase(),
    categories: [],
    subresources: ['Pod', 'Deployment', 'Job', 'PersistentVolumeClaim'].includes(kind) ? ['status'] : [],
    preferred: true,
  };
}

export function typeOfObject({ apiVersion, kind }: Unstructured): DiscoveredType {
  const [, group = ''] = apiVersion.split('/').toReversed();
  const type = knownTypes.get(group === '' ? kind : `${group}/${kind}`);
  if (type === undefined) throw new Error(`the cluster of these tests does not know ${apiVersion} ${kind}`);
  return type;
}

export function catalogItemOf(object: Unstructured): CatalogItem {
  const { namespace, name = '', uid, labels, annotations, deletionTimestamp, ownerReferences = [] } = object.metadata;
  return {
    groupResource: groupResourceText(typeOfObject(object)),
    namespace,
    name,
    apiVersion: object.apiVersion,
    kind: object.kind,
    uid,
    labels,
    annotations,
    isTerminating: deletionTimestamp !== undefined,
    owners: ownerReferences.map((owner) => ({ ...owner, controller: owner.controller === true })),
    needs: [],
  };
}
