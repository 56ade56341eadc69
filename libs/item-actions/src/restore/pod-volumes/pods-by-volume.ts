import type { Pod, PodVolumeRestore } from '@lateen/api-types';
import { keyOf, keyText } from '@lateen/kube';
import { awaitedVolumes, claimKeyOf } from './made-restores.ts';

/** Finds the pods that may wait for a PodVolumeRestore, in constant time however many pods a restore has. */
export class PodsByVolume {
  readonly #pods = new Map<string, Pod>();
  readonly #byClaim = new Map<string, Set<string>>();

  /** Adds a pod, or replaces its earlier state. */
  add(pod: Pod): void {
    this.remove(pod);
    const key = keyText(keyOf(pod));
    this.#pods.set(key, pod);
    for (const claim of claimKeys(pod)) this.#byClaim.set(claim, (this.#byClaim.get(claim) ?? new Set()).add(key));
  }

  remove(pod: Pod): void {
    const key = keyText(keyOf(pod));
    const known = this.#pods.get(key);
    if (known === undefined) return;
    this.#pods.delete(key);
    for (const claim of claimKeys(known)) this.#byClaim.get(claim)?.delete(key);
  }

  /** Its own pod, and the pods that mount the same claim. */
  about(restore: PodVolumeRestore): Pod[] {
    const { namespace = '', name = '', uid } = restore.spec.pod;
    const own = keyText({ namespace, name });
    const claim = claimKeyOf(restore);
    const keys = new Set(claim === undefined ? [] : this.#byClaim.get(claim));
    if (this.#pods.get(own)?.metadata.uid === uid) keys.add(own);
    return [...keys].flatMap((key) => this.#pods.get(key) ?? []);
  }
}

const claimKeys = (pod: Pod): string[] =>
  awaitedVolumes(pod).flatMap(({ claim }) => (claim === undefined ? [] : [`${pod.metadata.namespace}/${claim}`]));
