import type { ResourceType, Unstructured } from '@lateen/kube';
import { forbidden } from './api-error.ts';
import type { ObjectStore } from './store.ts';

interface PodSpec {
  serviceAccountName?: string;
  serviceAccount?: string;
  priorityClassName?: string;
  priority?: number;
}

const systemPriorities: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

/** What admission wants of a new pod, and gives it: its ServiceAccount and its PriorityClass are there. @throws KUBE_FORBIDDEN */
export function admitPod(store: ObjectStore, type: ResourceType, pod: Unstructured): void {
  const { namespace = '', name = '' } = pod.metadata;
  const spec = (pod.spec ?? {}) as PodSpec;
  const serviceAccountName = spec.serviceAccountName || spec.serviceAccount || 'default';
  if (store.get('/ServiceAccount', { namespace, name: serviceAccountName }) === undefined) {
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
  pod.spec = { ...spec, serviceAccountName, serviceAccount: serviceAccountName, priority };
}

function priorityOf(store: ObjectStore, name: string): number | undefined {
  const found = store.get('scheduling.k8s.io/PriorityClass', { name })?.object as { value?: number } | undefined;
  return found?.value ?? systemPriorities[name];
}
