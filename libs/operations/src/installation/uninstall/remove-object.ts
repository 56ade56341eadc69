import { type KubeObject, type LabelSelector, podType } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import {
  isNotFound,
  type KubeApi,
  keyOf,
  type ObjectKey,
  type ResourceType,
  readObject,
  selectorText,
} from '@lateen/kube';
import { titleOf, typeOf } from '@lateen/manifests';
import { untilGone, type Waiting } from './until-gone.ts';

interface Options extends Waiting {
  kube: KubeApi;
  clock: Clock;
}

/** Deletes an object unless it is gone. With a uid, only the object that was read. @throws KUBE_CONFLICT when it is another one by now */
export async function deleteIfThere(
  { kube, signal }: Pick<Options, 'kube' | 'signal'>,
  type: ResourceType,
  key: ObjectKey,
  uid?: string,
): Promise<void> {
  const preconditions = uid === undefined ? {} : { preconditions: { uid } };
  try {
    await kube.delete(type, key, { signal, propagationPolicy: 'Background', ...preconditions });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Deletes a Deployment or DaemonSet and waits until it and its pods are gone. */
export async function removeWorkload(workload: KubeObject, options: Options): Promise<void> {
  const { kube, signal } = options;
  const { spec } = workload as KubeObject & { spec?: { selector?: LabelSelector } };
  const { namespace, uid } = workload.metadata;
  const labelSelector = selectorText(spec?.selector ?? {});
  await deleteIfThere(options, typeOf(workload), keyOf(workload), uid);
  await untilGone(async () => {
    const left = await readObject(kube, typeOf(workload), keyOf(workload), signal);
    if (left !== undefined && left.metadata.uid === uid) return titleOf(workload);
    if (labelSelector === '') return undefined;
    const { items } = await kube.list(podType, { namespace, labelSelector, signal });
    return items.length === 0 ? undefined : `${items.length} pods of ${titleOf(workload)}`;
  }, options);
}
