import type { ResourceType, Unstructured } from '@lateen/kube';
import { invalid } from './api-error.ts';
import { typeKeyOf } from './store.ts';

type Check = (type: ResourceType, object: Unstructured) => void;

/** Defaults and validation of the API server for the kinds that this project creates. @throws KUBE_INVALID */
export function checkKind(type: ResourceType, object: Unstructured): void {
  const checks: Readonly<Record<string, Check>> = {
    '/Event': checkEvent,
    '/PersistentVolumeClaim': checkClaim,
    '/Pod': checkPod,
  };
  checks[typeKeyOf(type)]?.(type, object);
}

const refuse = (type: ResourceType, object: Unstructured, why: readonly string[]): void => {
  if (why.length === 0) return;
  throw invalid(type, object.metadata.name ?? '', ...why);
};

/** An Event is in the namespace of its object; an Event about a cluster-scoped object is in `default`. */
function checkEvent(type: ResourceType, object: Unstructured): void {
  const { namespace: about = '' } = (object.involvedObject ?? {}) as { namespace?: string };
  const { namespace } = object.metadata;
  if (about === namespace || (about === '' && namespace === 'default')) return;
  refuse(type, object, [`involvedObject.namespace: Invalid value: "${about}": does not match event.namespace`]);
}

interface ClaimSpec {
  accessModes?: string[];
  resources?: { requests?: { storage?: string } };
  volumeMode?: string;
}

function checkClaim(type: ResourceType, object: Unstructured): void {
  const spec = (object.spec ?? {}) as ClaimSpec;
  const missing = [
    ...((spec.accessModes ?? []).length === 0
      ? ['spec.accessModes: Required value: at least 1 access mode is required']
      : []),
    ...(spec.resources?.requests?.storage === undefined ? ['spec.resources[storage]: Required value'] : []),
  ];
  refuse(type, object, missing);
  object.spec = { volumeMode: 'Filesystem', ...spec };
}

interface PodSpecShape {
  containers?: {
    name?: string;
    volumeMounts?: { name: string }[];
    volumeDevices?: { name: string }[];
  }[];
  volumes?: { name: string }[];
}

/** Checks that a pod has containers, and that each mounts only volumes of the pod. */
function checkPod(type: ResourceType, object: Unstructured): void {
  const { containers = [], volumes = [] } = (object.spec ?? {}) as PodSpecShape;
  if (containers.length === 0) refuse(type, object, ['spec.containers: Required value']);
  const known = new Set(volumes.map((volume) => volume.name));
  const wrong = containers.flatMap((container, at) => [
    ...(container.name ? [] : [`spec.containers[${at}].name: Required value`]),
    ...(container.volumeMounts ?? []).flatMap(({ name }, i) =>
      known.has(name) ? [] : [`spec.containers[${at}].volumeMounts[${i}].name: Not found: "${name}"`],
    ),
    ...(container.volumeDevices ?? []).flatMap(({ name }, i) =>
      known.has(name) ? [] : [`spec.containers[${at}].volumeDevices[${i}].name: Not found: "${name}"`],
    ),
  ]);
  refuse(type, object, wrong);
}
