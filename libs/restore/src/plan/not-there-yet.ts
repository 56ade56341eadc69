import { type Pod, priorityClassType, type ResourceType, serviceAccountType } from '@lateen/api-types';
import { isNotFound, type ObjectKey, readObject } from '@lateen/kube';
import type { ItemRun } from '../engine/item-run.ts';
import { failureEnd } from '../item/failure-kind.ts';
import type { ItemEnd } from '../item/item-target.ts';
import type { ReadyObject } from '../item/ready-object.ts';
import { checkNodePorts } from './node-ports.ts';

/** Priority classes that the API server itself creates. */
const isBuiltInPriority = (name: string): boolean => name.startsWith('system-');

/**
 * The outcome of an object that the API server refused in a dry run because the restore would create what it lacks before it: the service
 * account or the priority class of a pod. Undefined when the refusal has another cause.
 */
export async function whenOthersAreThere(
  run: ItemRun,
  ready: ReadyObject,
  refusal: unknown,
  signal: AbortSignal,
): Promise<ItemEnd | undefined> {
  // The namespace was deleted meanwhile.
  if (isNotFound(refusal)) return await inNewNamespace(run, ready, signal);
  if (failureEnd(refusal).by !== undefined) return undefined;
  const missing = await missingNeeds(run, podNeeds(ready, false), signal);
  if (missing[0] === undefined || !missing.every(({ source }) => run.isRestored(source))) return undefined;
  return { act: 'create', reason: `${missing[0].text} is not there yet` };
}

/**
 * The outcome of an object whose namespace the restore would create, so that the API server cannot be asked about the object.
 * @throws what keeps the object out in any namespace
 */
export async function inNewNamespace(run: ItemRun, ready: ReadyObject, signal: AbortSignal): Promise<ItemEnd> {
  const missing = await missingNeeds(run, podNeeds(ready, true), signal);
  const never = missing.find(({ source }) => !run.isRestored(source));
  if (never !== undefined) return { act: 'denied', reason: `${never.text} is not there` };
  await checkNodePorts(run, ready, signal);
  return { act: 'create', reason: 'its namespace is not there yet' };
}

async function missingNeeds(
  { ports, namespaces }: ItemRun,
  needs: readonly Need[],
  signal: AbortSignal,
): Promise<readonly Need[]> {
  const missing: Need[] = [];
  for (const need of needs) {
    const { namespace } = need.key;
    const isNowhere = namespace !== undefined && namespaces.isPlanned(namespace);
    if (isNowhere || (await readObject(ports.kube, need.type, need.key, signal)) === undefined) missing.push(need);
  }
  return missing;
}

interface Need {
  type: ResourceType;
  key: ObjectKey;
  /** The object's identity in the backup. */
  source: { group: string; resource: string; namespace?: string; name: string };
  text: string;
}

/** @param isNew whether the namespace would be new: the cluster then creates its default service account */
function podNeeds({ type, target, wanted }: ReadyObject, isNew: boolean): Need[] {
  if (type.kind !== 'Pod' || type.group !== '') return [];
  const { serviceAccountName, priorityClassName = '' } = (wanted as unknown as Pod).spec;
  const account = serviceAccountName || 'default';
  const namespace = target.item.namespace ?? '';
  const needs: Need[] = [];
  if (!(isNew && account === 'default')) {
    needs.push({
      type: serviceAccountType,
      key: { namespace: target.namespace ?? namespace, name: account },
      source: { group: '', resource: 'serviceaccounts', namespace, name: account },
      text: `ServiceAccount ${JSON.stringify(account)}`,
    });
  }
  if (priorityClassName !== '' && !isBuiltInPriority(priorityClassName)) {
    needs.push({
      type: priorityClassType,
      key: { name: priorityClassName },
      source: { group: 'scheduling.k8s.io', resource: 'priorityclasses', name: priorityClassName },
      text: `PriorityClass ${JSON.stringify(priorityClassName)}`,
    });
  }
  return needs;
}
