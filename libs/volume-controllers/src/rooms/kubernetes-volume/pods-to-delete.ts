import type { OwnerReference, Pod } from '@lateen/api-types';
import type { Volume } from '@lateen/storage-types';
import { isAhead, type Settings } from '@lateen/volume-decisions';

export interface DeletedPodsSeen {
  readonly volume: Volume;
  /** The pods that use the volume. */
  readonly pods: readonly Pod[];
  isDown(node: string): boolean;
  readonly settings: Settings;
}

export interface PodDeletion {
  readonly do: 'delete-pod';
  readonly pod: Pod;
  /** True: deletes at once, without its kubelet, which does not answer. */
  readonly force: boolean;
  readonly why: string;
}

/** Extra time after a pod's grace period, for a kubelet that is only slow. */
export const downGraceMs = 30_000;

/**
 * Pods of a volume that have to be deleted so that others can take their place: pods that mounted the volume before it was lost and came back,
 * because their file system is dead; and pods that cannot end because their node is down. Only pods that a controller recreates.
 */
export function podsToDelete(seen: DeletedPodsSeen, nowMs: number): readonly PodDeletion[] {
  return seen.pods.flatMap((pod) => remounting(pod, seen, nowMs) ?? stranded(pod, seen, nowMs) ?? []);
}

/** Setting `auto-delete-pod-when-volume-detached-unexpectedly`. */
function remounting(pod: Pod, { volume, settings }: DeletedPodsSeen, nowMs: number): PodDeletion | undefined {
  const requestedMs = Date.parse(volume.status?.remountRequestedAt ?? '');
  // Otherwise each pod would have started before the request, and all would be deleted one after the other.
  if (isAhead(requestedMs, nowMs)) return undefined;
  const startedMs = Date.parse(pod.status?.startTime ?? '');
  if (Number.isNaN(requestedMs) || Number.isNaN(startedMs) || startedMs >= requestedMs) return undefined;
  const { phase = '' } = pod.status ?? {};
  const controller = controllerOf(pod);
  if (controller === undefined || phase === 'Succeeded' || phase === 'Failed') return undefined;
  if (pod.metadata.deletionTimestamp !== undefined) return undefined;
  if (!settings.flag('auto-delete-pod-when-volume-detached-unexpectedly')) return undefined;
  const spared = settings
    .text('blacklist-for-auto-delete-pod-when-volume-detached-unexpectedly')
    .split(';')
    .map((each) => each.trim());
  if (spared.includes(`${controller.apiVersion}/${controller.kind}`)) return undefined;
  const why = `volume ${volume.metadata.name} was lost at ${volume.status?.remountRequestedAt} and has to be mounted again`;
  return { do: 'delete-pod', pod, force: false, why };
}

/** Values of the setting `node-down-pod-deletion-policy`, and the kinds of controllers whose pods are deleted. */
const policies: Readonly<Record<string, readonly string[] | undefined>> = {
  'delete-statefulset-pod': ['StatefulSet'],
  'delete-deployment-pod': ['ReplicaSet'],
  'delete-both-statefulset-and-deployment-pod': ['StatefulSet', 'ReplicaSet'],
};

/** Its deletion was requested, most likely by the eviction of Kubernetes, and its kubelet cannot carry it out. */
function stranded(pod: Pod, { volume, isDown, settings }: DeletedPodsSeen, nowMs: number): PodDeletion | undefined {
  const endMs = Date.parse(pod.metadata.deletionTimestamp ?? '');
  const node = pod.spec.nodeName ?? '';
  const kinds = policies[settings.text('node-down-pod-deletion-policy')] ?? [];
  if (Number.isNaN(endMs) || node === '' || !isDown(node)) return undefined;
  if (!kinds.includes(controllerOf(pod)?.kind ?? '') || nowMs < endMs + downGraceMs) return undefined;
  const why = `node ${node} is down, and volume ${volume.metadata.name} is free only when its pod is gone`;
  return { do: 'delete-pod', pod, force: true, why };
}

const controllerOf = ({ metadata }: Pod): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true);
