import { namespaceType } from '@lateen/api-types';
import { type KubeObject, keyOf, listIfServed, type ResourceType, readObject } from '@lateen/kube';
import { titleOf, typeOf } from '@lateen/manifests';
import { longhornFinalizer, longhornNamespace, volumeType } from '@lateen/storage-types';
import { definitionType } from '../uninstall/custom-kinds.ts';
import { dropFinalizers } from '../uninstall/drop-finalizers.ts';
import type { RemovalOptions } from '../uninstall/remove-installation.ts';
import { deleteIfThere, removeWorkload } from '../uninstall/remove-object.ts';
import { untilGone } from '../uninstall/until-gone.ts';
import type { VolumeManagerInstallation } from './find-volume-manager.ts';

/**
 * Removes the volume manager: first the volumes, while managers run that clean their nodes; then the workloads that would create objects
 * again, then the objects that they created, last what everything needs. Safe to repeat: after a failure or an abort, the next run removes
 * the rest.
 * @throws AppError REMOVAL_STUCK naming what stays and why
 */
export async function removeVolumeManager(
  found: VolumeManagerInstallation,
  keepCrds: boolean,
  options: RemovalOptions,
): Promise<void> {
  await removeVolumes(found, options);
  for (const workload of found.workloads) {
    await removeWorkload(workload, options);
    options.onRemoved(titleOf(workload));
  }
  for (const { type } of found.definitions) await releaseAll(type, options);
  if (found.namespace !== undefined) await removeOne(namespaceType, { name: longhornNamespace }, options);
  for (const object of found.clusterObjects.toReversed())
    await removeOne(typeOf(object), { name: object.metadata.name ?? '' }, options);
  if (keepCrds || (await usedElsewhere(found, options))) return;
  for (const { definition } of found.definitions) await removeOne(definitionType, keyOf(definition), options);
}

async function removeVolumes({ volumes }: VolumeManagerInstallation, options: RemovalOptions): Promise<void> {
  const { kube, signal } = options;
  for (const volume of volumes) await deleteIfThere(options, volumeType, keyOf(volume), volume.metadata.uid);
  await untilGone(async () => {
    const left = await listIfServed(kube, volumeType, { namespace: longhornNamespace, signal });
    const [first] = left;
    return first === undefined ? undefined : `Volume ${first.metadata.name}, one of ${left.length},`;
  }, options);
  if (volumes.length > 0) options.onRemoved(`${volumes.length} volumes`);
}

/** Removes the finalizers, because no component is left that would do it. */
async function releaseAll(type: ResourceType<KubeObject>, options: RemovalOptions): Promise<void> {
  const { kube, signal } = options;
  for (const object of await listIfServed(kube, type, { namespace: longhornNamespace, signal }))
    await dropFinalizers(type, keyOf(object), options, storageFinalizers);
}

const storageFinalizers: ReadonlySet<string> = new Set([longhornFinalizer]);

/** Whether the CRDs are used elsewhere: deleting a CRD deletes all its objects, in every namespace. */
async function usedElsewhere({ definitions }: VolumeManagerInstallation, options: RemovalOptions): Promise<boolean> {
  const lists = await Promise.all(
    definitions.map(({ type }) => listIfServed(options.kube, type, { signal: options.signal })),
  );
  return lists.some((objects) => objects.some(({ metadata }) => metadata.namespace !== longhornNamespace));
}

async function removeOne(type: ResourceType, key: { name: string }, options: RemovalOptions): Promise<void> {
  const { kube, signal } = options;
  const title = `${type.kind} ${key.name}`;
  await deleteIfThere(options, type, key);
  await untilGone(async () => ((await readObject(kube, type, key, signal)) === undefined ? undefined : title), options);
  options.onRemoved(title);
}
