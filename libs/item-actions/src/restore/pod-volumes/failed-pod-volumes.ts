import { annotations, type Pod, podType, type Restore } from '@lateen/api-types';
import { isNotFound, type KubeApi, keyOf } from '@lateen/kube';
import { type EventRecorder, eventSubject } from '@lateen/kube-runtime';
import type { LostVolume } from './lost-volumes.ts';

/** What happens to a pod when the data of one of its volumes could not be restored. */
export const failedVolumePolicies = ['wait', 'start'] as const;
export type FailedVolumePolicy = (typeof failedVolumePolicies)[number];

/**
 * The pod's annotation takes precedence over the Restore's; an invalid value is ignored. By default a pod without its data does
 * not start. Pure.
 */
export function failedVolumePolicy(restore: Pick<Restore, 'metadata'>, pod: Pick<Pod, 'metadata'>): FailedVolumePolicy {
  const said = [pod, restore].map(({ metadata }) => metadata.annotations?.[annotations.onFailedPodVolume]);
  return failedVolumePolicies.find((each) => each === said.find((word) => isPolicy(word))) ?? 'wait';
}

const isPolicy = (word: string | undefined): boolean => failedVolumePolicies.some((each) => each === word);

interface WaitingPod {
  restore: Restore;
  pod: Pod;
}

/**
 * Reports, in an Event, a pod whose volumes will not be restored, and lets it start without their data if the policy says so.
 * Safe to repeat.
 */
export async function tellOfLostVolumes(
  { kube, events }: { kube: KubeApi; events: EventRecorder },
  { restore, pod, lost }: WaitingPod & { lost: readonly LostVolume[] },
  signal: AbortSignal,
): Promise<void> {
  const starts = failedVolumePolicy(restore, pod) === 'start';
  const volumes = lost.map(({ volume, why }) => `${volume} (${why})`).join(', ');
  const key = `${annotations.startWithoutData}=true`;
  const next = starts
    ? `It starts with what they have, as ${annotations.onFailedPodVolume} says`
    : `It waits: delete it and restore it again, or let it start with what they have: kubectl -n ${pod.metadata.namespace} annotate pod ${pod.metadata.name} ${key}`;
  const message = `Restore ${restore.metadata.name} could not restore volumes of the pod. ${next}. Volumes: ${volumes}`;
  const subject = eventSubject({ ...pod, apiVersion: 'v1', kind: 'Pod' });
  events.record(subject, 'VolumeNotRestored', message, { type: 'Warning' });
  if (starts) await annotate(kube, pod, annotations.startWithoutData, restore, signal);
}

/** For a waiter that may not read the mark in a volume. Safe to repeat. */
export const tellOfRestoredVolumes = (
  kube: KubeApi,
  { restore, pod }: WaitingPod,
  signal: AbortSignal,
): Promise<void> => annotate(kube, pod, annotations.volumesRestored, restore, signal);

async function annotate(kube: KubeApi, pod: Pod, annotation: string, restore: Restore, signal: AbortSignal) {
  const { uid = '' } = restore.metadata;
  if (pod.metadata.annotations?.[annotation] === uid) return;
  const body = { metadata: { uid: pod.metadata.uid, annotations: { [annotation]: uid } } };
  try {
    await kube.patch(podType, keyOf(pod), { type: 'merge', body }, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
