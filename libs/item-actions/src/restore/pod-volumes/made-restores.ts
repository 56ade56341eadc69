import { annotations, type Pod, type PodVolumeRestore } from '@lateen/api-types';
import { isRestoreWait } from '@lateen/hooks';
import { failureOf } from './failure-of.ts';
import { awaitedPath } from './restore-wait-container.ts';

/** A volume that a pod waits for. */
export interface AwaitedVolume {
  volume: string;
  claim: string | undefined;
}

/**
 * The volumes that the waiter mounts, without the volume for its annotations and the token that the API server adds to every
 * container. Pure.
 */
export function awaitedVolumes({ spec }: Pod): AwaitedVolume[] {
  const { volumeMounts = [] } = (spec.initContainers ?? []).find(isRestoreWait) ?? {};
  const mounted = new Set(
    volumeMounts.filter(({ name, mountPath }) => mountPath === awaitedPath(name)).map(({ name }) => name),
  );
  return (spec.volumes ?? []).flatMap(({ name: volume, downwardAPI, persistentVolumeClaim }) =>
    mounted.has(volume) && downwardAPI === undefined ? [{ volume, claim: persistentVolumeClaim?.claimName }] : [],
  );
}

/** `namespace/name` of the claim whose data a PodVolumeRestore restores; undefined for a volume without a claim. Pure. */
export function claimKeyOf({ spec, metadata }: PodVolumeRestore): string | undefined {
  const claim = metadata.annotations?.[annotations.pvcName];
  return claim === undefined ? undefined : `${spec.pod.namespace}/${claim}`;
}

/** The PodVolumeRestores of a restore, by what pods wait for: a claim that several pods mount is restored through one of them. */
export class MadeRestores {
  /** By UID of the pod, and by volume. */
  readonly #byPod = new Map<string, Map<string, PodVolumeRestore>>();
  readonly #byClaim = new Map<string, PodVolumeRestore>();

  constructor(restores: Iterable<PodVolumeRestore> = []) {
    for (const each of restores) this.add(each);
  }

  /** Adds the present state. */
  add(restore: PodVolumeRestore): void {
    const { pod, volume } = restore.spec;
    const ofPod = this.#byPod.get(pod.uid ?? '') ?? new Map<string, PodVolumeRestore>();
    this.#byPod.set(pod.uid ?? '', ofPod.set(volume, restore));
    const claim = claimKeyOf(restore);
    if (claim === undefined) return;
    const known = this.#byClaim.get(claim);
    // A movement whose pod was deleted has failed; the pod that replaced it has another movement.
    const isOther = known !== undefined && known.metadata.name !== restore.metadata.name;
    if (!isOther || failureOf(restore) === undefined || failureOf(known) !== undefined)
      this.#byClaim.set(claim, restore);
  }

  of({ metadata }: Pod, { volume, claim }: AwaitedVolume): PodVolumeRestore | undefined {
    const own = this.#byPod.get(metadata.uid ?? '')?.get(volume);
    return own ?? (claim === undefined ? undefined : this.#byClaim.get(`${metadata.namespace}/${claim}`));
  }

  /** The movements that were created for the pod's own volumes. */
  ofPod({ metadata }: Pod): Iterable<PodVolumeRestore> {
    return this.#byPod.get(metadata.uid ?? '')?.values() ?? [];
  }
}
