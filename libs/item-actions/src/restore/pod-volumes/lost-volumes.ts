import { annotations, isTerminalPhase, type Pod, type PodVolumeRestore } from '@lateen/api-types';
import { isRestoreWait } from '@lateen/hooks';

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
 * @param restores those of the restore in its namespace: a claim that several pods mount is restored with one of them. Pure.
 */
export function lostVolumes(pod: Pod, restores: readonly PodVolumeRestore[]): LostVolume[] | undefined {
  const awaited = awaitedVolumes(pod);
  if (awaited.length === 0 || hasBegun(pod)) return undefined;
  const lost: LostVolume[] = [];
  for (const { volume, claim } of awaited) {
    const made =
      restores.find(({ spec }) => spec.pod.uid === pod.metadata.uid && spec.volume === volume) ??
      restores.find((each) => claim !== undefined && isOfClaim(each, pod, claim));
    const why = made === undefined ? 'no PodVolumeRestore could be made for it' : failureOf(made);
    if (why !== undefined) lost.push({ volume, why });
    else if (!isTerminalPhase(made?.status?.phase)) return undefined;
  }
  return lost;
}

/** Whether a pod may wait for what it brings: its own, or one that mounts the same claim. Pure. */
export const isAboutPod = (restore: PodVolumeRestore, pod: Pod): boolean =>
  restore.spec.pod.uid === pod.metadata.uid ||
  awaitedVolumes(pod).some(({ claim }) => claim !== undefined && isOfClaim(restore, pod, claim));

/** Its wait is over. Pure. */
export const hasBegun = ({ status }: Pick<Pod, 'status'>): boolean =>
  status?.initContainerStatuses?.find(isRestoreWait)?.state?.terminated?.exitCode === 0;

/** The volumes that a pod waits for; what it is told its words by is none. Pure. */
export function awaitedVolumes({ spec }: Pod): { volume: string; claim: string | undefined }[] {
  const { volumeMounts = [] } = (spec.initContainers ?? []).find(isRestoreWait) ?? {};
  const mounted = new Set(volumeMounts.map(({ name }) => name));
  return (spec.volumes ?? []).flatMap(({ name: volume, downwardAPI, persistentVolumeClaim }) =>
    mounted.has(volume) && downwardAPI === undefined ? [{ volume, claim: persistentVolumeClaim?.claimName }] : [],
  );
}

const isOfClaim = ({ spec, metadata }: PodVolumeRestore, pod: Pod, claim: string): boolean =>
  spec.pod.namespace === pod.metadata.namespace && metadata.annotations?.[annotations.pvcName] === claim;
