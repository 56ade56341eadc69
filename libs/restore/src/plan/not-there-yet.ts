import { type Pod, priorityClassType, type ResourceType, serviceAccountType } from '@lateen/api-types';
import { isNotFound, type ObjectKey, readObject } from '@lateen/kube';
import type { ItemRun } from '../engine/item-run.ts';
import { failureEnd } from '../item/failure-kind.ts';
import type { ItemEnd } from '../item/item-target.ts';
import type { ReadyObject } from '../item/ready-object.ts';
import { checkNodePorts } from './node-ports.ts';

/** Made by the API server itself. */
const isBuiltInPriority = (name: string): boolean => name.startsWith('system-');

/**
 * Of an object that the API server refused in a dry run: what becomes of it all the same, because the restore would make before it what
 * it lacks: the account or the priority of a pod. Undefined when the refusal has nothing to do with that.
 * @throws as `inNewNamespace`
 */
export async function whenOthersAreThere(
  run: ItemRun,
  ready: ReadyObject,
  refusal: unknown,
  signal: AbortSignal,
): Promise<ItemEnd | undefined> {
  // Somebody has deleted the namespace since.
  if (isNotFound(refusal)) return await inNewNamespace(run, ready, signal);
  if (failureEnd(refusal).by !== undefined) return undefined;
  const missing = await missingNeeds(run, podNeeds(ready, false), signal);
  if (missing[0] === undefined || !missing.every(({ source }) => run.isRestored(source))) return undefined;
  return { act: 'create', reason: `${missing[0].text} is not there yet` };
}

/**
 * What becomes of an object whose namespace the restore would make, so that the API server cannot be asked about it.
 * @throws what keeps it out wherever it is
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
  /** In the backup. */
  source: { group: string; resource: string; namespace?: string; name: string };
  text: string;
}

/** @param isNew its namespace is: the cluster gives it an account */
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
