import { finalizers, type Namespace, namespaceType, podType } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import {
  isConflict,
  isNotFound,
  type KubeApi,
  type KubeObject,
  keyOf,
  type ObjectKey,
  type ResourceType,
  readObject,
} from '@lateen/kube';
import { titleOf, typeOf } from '@lateen/manifests';
import { definitionType } from './custom-kinds.ts';
import { type Installation, objectsIn, othersUsing } from './find-installation.ts';
import { untilGone, type Waiting } from './until-gone.ts';

export interface RemovalOptions extends Waiting {
  kube: KubeApi;
  clock: Clock;
  /** Told after each thing that is gone. */
  onRemoved: (title: string) => void;
}

/** Our own: whoever else has put one on an object wants to do something before it goes. */
const ours: ReadonlySet<string> = new Set(Object.values(finalizers));

/**
 * First those who would make things anew, then what they have made, last what everything needs. Safe to repeat; when it
 * fails or is aborted, what is gone is gone and the next run takes the rest.
 * @throws AppError UNINSTALL_STUCK naming what stays and why
 */
export async function removeInstallation(
  found: Installation,
  keepCrds: boolean,
  options: RemovalOptions,
): Promise<void> {
  const { kube, signal } = options;
  await removeWorkloads(found, options);
  for (const kind of found.namespace === undefined ? [] : found.definitions)
    for (const object of await objectsIn(kube, kind, found.namespaceName, signal))
      await dropFinalizers(kind.type, object, options);
  if (found.namespace !== undefined) await removeNamespace(found.namespaceName, options);
  for (const right of found.rights) await removeOne(typeOf(right), right, options);
  if (keepCrds) return;
  // Looked at again: with a definition all its objects go, in every namespace.
  const others = await othersUsing(kube, found.namespaceName, signal, found.definitions);
  if (found.othersUsingKinds.length > 0 || others.length > 0) return;
  for (const { definition } of found.definitions) await deleteIfThere(options, definitionType, keyOf(definition));
  for (const { definition } of found.definitions) await removeOne(definitionType, definition, options);
}

async function removeWorkloads({ workloads, namespaceName: namespace }: Installation, options: RemovalOptions) {
  const { kube, signal } = options;
  for (const workload of workloads) {
    const title = titleOf(workload);
    await deleteIfThere(options, typeOf(workload), keyOf(workload));
    await untilGone(async () => {
      const labelSelector = `name=${workload.metadata.name}`;
      const { items } = await kube.list(podType, { namespace, labelSelector, signal });
      return items.length === 0 ? undefined : `${items.length} pods of ${title}`;
    }, options);
    options.onRemoved(title);
  }
}

/** Read again: the movements have ended since, and their finalizers mostly went with that. */
async function dropFinalizers(
  type: ResourceType<KubeObject>,
  seen: KubeObject,
  options: RemovalOptions,
): Promise<void> {
  const { kube, signal } = options;
  for (;;) {
    const object = await readObject(kube, type, keyOf(seen), signal);
    const present = object?.metadata.finalizers ?? [];
    if (object === undefined || !present.some((it) => ours.has(it))) return;
    const { resourceVersion } = object.metadata;
    const body = { metadata: { resourceVersion, finalizers: present.filter((it) => !ours.has(it)) } };
    try {
      await kube.patch(type, keyOf(object), { type: 'merge', body }, { signal });
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error)) throw error;
    }
  }
}

async function removeNamespace(name: string, options: RemovalOptions): Promise<void> {
  const { kube, signal } = options;
  await deleteIfThere(options, namespaceType, { name });
  await untilGone(async () => {
    const namespace = await readObject(kube, namespaceType, { name }, signal);
    return namespace === undefined ? undefined : `Namespace ${name}${whatRemains(namespace)}`;
  }, options);
  options.onRemoved(`Namespace ${name}`);
}

/** In the namespace controller's words: which objects are left, and whose finalizers hold them. */
function whatRemains({ status }: Namespace): string {
  const conditions = (status?.conditions ?? []) as { type: string; status: string; message?: string }[];
  const told = conditions
    .filter((it) => it.status === 'True' && it.message !== undefined)
    .map(({ message }) => message);
  return told.length === 0 ? '' : ` (${told.join('; ')})`;
}

async function removeOne(type: ResourceType<KubeObject>, object: KubeObject, options: RemovalOptions): Promise<void> {
  const key = keyOf(object);
  const title = `${type.kind} ${key.name}`;
  await deleteIfThere(options, type, key);
  await untilGone(
    async () => ((await readObject(options.kube, type, key, options.signal)) === undefined ? undefined : title),
    options,
  );
  options.onRemoved(title);
}

async function deleteIfThere({ kube, signal }: RemovalOptions, type: ResourceType, key: ObjectKey): Promise<void> {
  try {
    await kube.delete(type, key, { signal, propagationPolicy: 'Background' });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
