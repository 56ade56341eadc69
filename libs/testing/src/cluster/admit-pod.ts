import type { ResourceType, Unstructured } from '@lateen/kube';
import { forbidden } from './api-error.ts';
import type { ObjectStore } from './store.ts';

interface PodSpec {
  serviceAccountName?: string;
  serviceAccount?: string;
  priorityClassName?: string;
  priority?: number;
  automountServiceAccountToken?: boolean;
  containers?: readonly Mounting[];
  initContainers?: readonly Mounting[];
  volumes?: readonly unknown[];
}

interface Mounting {
  volumeMounts?: readonly { mountPath: string; [field: string]: unknown }[];
}

const tokenPath = '/var/run/secrets/kubernetes.io/serviceaccount';

const systemPriorities: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

/** Admission of a new pod: checks that its ServiceAccount and PriorityClass exist, and mounts the account's token. @throws KUBE_FORBIDDEN */
export function admitPod(store: ObjectStore, type: ResourceType, pod: Unstructured): void {
  const { namespace = '', name = '' } = pod.metadata;
  const spec = (pod.spec ?? {}) as PodSpec;
  const serviceAccountName = spec.serviceAccountName || spec.serviceAccount || 'default';
  const account = store.get('/ServiceAccount', { namespace, name: serviceAccountName });
  if (account === undefined) {
    const missing = `serviceaccount "${serviceAccountName}" not found`;
    throw forbidden(type, name, `error looking up service account ${namespace}/${serviceAccountName}: ${missing}`);
  }
  const { priorityClassName = '' } = spec;
  const priority = priorityClassName === '' ? 0 : priorityOf(store, priorityClassName);
  if (priority === undefined) {
    throw forbidden(type, name, `no PriorityClass with name ${priorityClassName} was found`);
  }
  if (spec.priority !== undefined && spec.priority !== priority) {
    const why = `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`;
    throw forbidden(type, name, why);
  }
  const accountMounts = (account.object as { automountServiceAccountToken?: boolean }).automountServiceAccountToken;
  const mounts = spec.automountServiceAccountToken ?? accountMounts ?? true;
  const names = { serviceAccountName, serviceAccount: serviceAccountName };
  pod.spec = { ...spec, ...names, ...(mounts ? withToken(spec) : {}), priority };
}

/** Adds the volume with the account's token, and mounts it in each container without one, including containers added by a restore. */
function withToken(spec: PodSpec): Pick<PodSpec, 'volumes' | 'containers' | 'initContainers'> {
  const has = ({ volumeMounts = [] }: Mounting) => volumeMounts.some(({ mountPath }) => mountPath === tokenPath);
  const { containers = [], initContainers = [], volumes = [] } = spec;
  if ([...containers, ...initContainers].every(has)) return {};
  const name = 'kube-api-access-token';
  const mounted = (each: Mounting): Mounting =>
    has(each)
      ? each
      : {
          ...each,
          volumeMounts: [...(each.volumeMounts ?? []), { name, readOnly: true, mountPath: tokenPath }],
        };
  const sources = [{ serviceAccountToken: { expirationSeconds: 3607, path: 'token' } }];
  return {
    volumes: [...volumes, { name, projected: { sources, defaultMode: 420 } }],
    containers: containers.map(mounted),
    ...(initContainers.length === 0 ? {} : { initContainers: initContainers.map(mounted) }),
  };
}

function priorityOf(store: ObjectStore, name: string): number | undefined {
  const found = store.get('scheduling.k8s.io/PriorityClass', { name })?.object as { value?: number } | undefined;
  return found?.value ?? systemPriorities[name];
}
