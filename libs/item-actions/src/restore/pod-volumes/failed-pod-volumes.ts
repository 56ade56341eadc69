import {
  annotations,
  isTerminalPhase,
  type Pod,
  type PodVolumeRestore,
  podType,
  type Restore,
} from '@lateen/api-types';
import { isRestoreWait } from '@lateen/hooks';
import { isNotFound, type KubeApi, keyOf } from '@lateen/kube';
import { type EventRecorder, eventSubject } from '@lateen/kube-runtime';

/** What becomes of a pod when the data of one of its volumes could not be restored. */
export const failedVolumePolicies = ['wait', 'start'] as const;
export type FailedVolumePolicy = (typeof failedVolumePolicies)[number];

/** The pod's word counts before the Restore's; a word that is neither is none. Without data no pod starts that nobody wants to. Pure. */
export function failedVolumePolicy(restore: Pick<Restore, 'metadata'>, pod: Pick<Pod, 'metadata'>): FailedVolumePolicy {
  const said = [pod, restore].map(({ metadata }) => metadata.annotations?.[annotations.onFailedPodVolume]);
  return failedVolumePolicies.find((each) => each === said.find((word) => isPolicy(word))) ?? 'wait';
}

const isPolicy = (word: string | undefined): boolean => failedVolumePolicies.some((each) => each === word);

/** Why a movement has not brought its data; undefined while it may, and when it has. Pure. */
export function failureOf({ spec, status, metadata }: PodVolumeRestore): string | undefined {
  const { phase = 'New', message = '' } = status ?? {};
  const why = metadata.annotations?.[annotations.canceledBecause] ?? message;
  if (phase === 'Failed') return `pod volume restore failed: ${why || 'the node-agent does not say why'}`;
  // One that nobody has taken on is not taken on any more.
  if (phase === 'Canceled' || (phase === 'New' && spec.cancel === true))
    return `pod volume restore canceled: ${why || 'spec.cancel was set'}`;
  return undefined;
}

/** A volume that the pod waits for and never gets. */
export interface LostVolume {
  volume: string;
  why: string;
}

/**
 * The volumes that a pod waits for in vain, once nothing is under way for it any more: until then its data may still be written. None: it has them
 * all. Undefined: something is under way, or the pod does not wait.
 * @param restores all of the pod, by this restore. Pure.
 */
export function lostVolumes(pod: Pod, restores: readonly PodVolumeRestore[]): LostVolume[] | undefined {
  const { initContainers = [] } = pod.spec;
  const waiter = initContainers.find(isRestoreWait);
  if (waiter === undefined || hasBegun(pod)) return undefined;
  const isOpen = (each: PodVolumeRestore) => !isTerminalPhase(each.status?.phase) && failureOf(each) === undefined;
  if (restores.some(isOpen)) return undefined;
  const volumes = new Set((waiter.volumeMounts ?? []).map(({ name }) => name));
  return (pod.spec.volumes ?? []).flatMap(({ name: volume, downwardAPI }) => {
    if (!volumes.has(volume) || downwardAPI !== undefined) return [];
    const made = restores.find(({ spec }) => spec.volume === volume);
    const why = made === undefined ? 'no PodVolumeRestore could be made for it' : failureOf(made);
    return why === undefined ? [] : [{ volume, why }];
  });
}

/** Its wait is over. Pure. */
export const hasBegun = ({ status }: Pick<Pod, 'status'>): boolean =>
  status?.initContainerStatuses?.find(isRestoreWait)?.state?.terminated?.exitCode === 0;

interface WaitingPod {
  restore: Restore;
  pod: Pod;
}

/**
 * Tells of a pod that waits for its volumes in vain, by an Event, and has it start with what they have where that is wished. Safe to repeat.
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

/** For a waiter that may not look into a volume for the mark. Safe to repeat. */
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
