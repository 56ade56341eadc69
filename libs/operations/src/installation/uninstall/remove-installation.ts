import { type Namespace, namespaceType } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import { type KubeApi, type KubeObject, keyOf, type ResourceType, readObject } from '@lateen/kube';
import { titleOf, typeOf } from '@lateen/manifests';
import { definitionType } from './custom-kinds.ts';
import { dropFinalizers } from './drop-finalizers.ts';
import { type Installation, objectsIn, othersUsing } from './find-installation.ts';
import { deleteIfThere, removeWorkload } from './remove-object.ts';
import { untilGone, type Waiting } from './until-gone.ts';

export interface RemovalOptions extends Waiting {
  kube: KubeApi;
  clock: Clock;
  /** Called after each object that is gone. */
  onRemoved: (title: string) => void;
}

/**
 * Removes an installation: first the workloads that would create objects again, then the objects that they created, last what everything
 * needs. Safe to repeat: after a failure or an abort, the next run removes the rest.
 * @throws AppError REMOVAL_STUCK naming what stays and why
 */
export async function removeInstallation(
  found: Installation,
  keepCrds: boolean,
  options: RemovalOptions,
): Promise<void> {
  const { kube, signal } = options;
  for (const workload of found.workloads) {
    await removeWorkload(workload, options);
    options.onRemoved(titleOf(workload));
  }
  for (const kind of found.namespace === undefined ? [] : found.definitions)
    for (const object of await objectsIn(kube, kind, found.namespaceName, signal))
      await dropFinalizers(kind.type, keyOf(object), options);
  if (found.namespace !== undefined) await removeNamespace(found.namespaceName, options);
  for (const right of found.rights) await removeOne(typeOf(right), right, options);
  if (keepCrds) return;
  // Checked again, because deleting a CRD deletes all its objects, in every namespace.
  const others = await othersUsing(kube, found.namespaceName, signal, found.definitions);
  if (found.othersUsingKinds.length > 0 || others.length > 0) return;
  for (const { definition } of found.definitions) await deleteIfThere(options, definitionType, keyOf(definition));
  for (const { definition } of found.definitions) await removeOne(definitionType, definition, options);
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

/** In the namespace controller's words: which objects remain, and whose finalizers hold them. */
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
