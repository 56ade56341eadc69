import {
  getValidName,
  isTerminalPhase,
  labels,
  type Pod,
  type PodVolumeRestore,
  podType,
  podVolumeRestoreType,
} from '@lateen/api-types';
import { orAborted } from '@lateen/kernel';
import { keyOf, keyText } from '@lateen/kube';
import { type Change, type EventRecorder, type Informer, informer } from '@lateen/kube-runtime';
import type { OperationProgress } from '../../contract/operation-progress.ts';
import type { RestoreOperationContext } from '../../contract/restore-item-action.ts';
import { ofRestore } from '../../restore-csi/restore-labels.ts';
import { giveUpOrWait, lookMs } from './give-up.ts';
import { keptOfPod, keptOfRestore } from './kept-facts.ts';
import { MadeRestores } from './made-restores.ts';
import { endedProgress, podVolumeProgress } from './pod-volume-progress.ts';
import { PodsByVolume } from './pods-by-volume.ts';
import { recorderOf, tellPods } from './tell-pods.ts';
import { type WaitFacts, waitFacts } from './what-it-waits-for.ts';

export interface FollowOptions {
  /** For the whole PodVolumeRestore, from its creation. */
  timeoutMs: number;
  onChange(operationId: string, progress: OperationProgress): void;
}

/** How often a notification of a pod is tried, and the pause between the tries. */
const telling = { timesMax: 6, againMs: 10_000 } as const;

/**
 * The PodVolumeRestores of one restore, after its objects are restored, and the pods that wait for them; one watch for each of
 * the two kinds. The cost of a change does not grow with their number.
 */
export class FollowedPodVolumes {
  readonly #context: RestoreOperationContext;
  readonly #options: FollowOptions;
  readonly #restores: Informer<PodVolumeRestore>;
  readonly #pods: Informer<Pod>;
  readonly #events: EventRecorder;
  readonly #facts: WaitFacts;
  /** The last state that was seen or written, by key. */
  readonly #all = new Map<string, PodVolumeRestore>();
  readonly #made = new MadeRestores();
  readonly #waiting = new PodsByVolume();
  /** Keys of those that have not ended, with the wall-clock time of the next look. */
  readonly #open = new Map<string, number>();
  /** Keys of those that have ended: those whose pods are not notified yet, and those whose pods are. */
  readonly #ended = new Set<string>();
  readonly #told = new Set<string>();
  /** By UID: how often a notification of the pod was tried; at the limit it counts as notified. */
  readonly #tries = new Map<string, number>();
  #changed = Promise.withResolvers<void>();

  constructor(context: RestoreOperationContext, options: FollowOptions) {
    const { kube: api, clock, random, log, restore, veleroNamespace: namespace } = context;
    this.#context = context;
    this.#options = options;
    this.#events = recorderOf(context);
    this.#facts = waitFacts(context);
    const watched = { api, clock, random, log };
    this.#restores = informer<PodVolumeRestore>({
      ...watched,
      type: podVolumeRestoreType,
      namespace,
      labelSelector: ofRestore(restore),
      transform: keptOfRestore,
    });
    this.#pods = informer<Pod>({
      ...watched,
      type: podType,
      labelSelector: `${labels.restoreName}=${getValidName(restore.metadata.name ?? '')}`,
      transform: keptOfPod,
    });
  }

  /** Runs until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#restores.onChange(({ type, object }) => this.#seen(object, type === 'deleted'));
    this.#pods.onChange((change) => this.#podSeen(change));
    const watches = Promise.all([this.#restores.run(signal), this.#pods.run(signal)]);
    try {
      await Promise.all([this.#restores.synced(signal), this.#pods.synced(signal)]);
      while (!signal.aborted) {
        const dueMs = await this.#look(signal);
        await this.#changeWithin(dueMs - this.#context.clock.now(), signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await watches;
    }
  }

  async #changeWithin(ms: number, signal: AbortSignal): Promise<void> {
    const slept = new AbortController();
    const sleep = this.#context.clock.sleep(Math.max(ms, 0), AbortSignal.any([signal, slept.signal])).catch(() => {});
    try {
      await orAborted(Promise.race([this.#changed.promise, sleep]), signal);
    } finally {
      slept.abort();
      this.#changed = Promise.withResolvers<void>();
    }
  }

  #seen(restore: PodVolumeRestore, isDeleted: boolean): void {
    const key = keyText(keyOf(restore));
    if (this.#told.has(key) || this.#ended.has(key)) return;
    if (isTerminalPhase(restore.status?.phase) || isDeleted) this.#over(key, restore);
    else {
      this.#keep(key, restore);
      this.#open.set(key, 0);
      this.#tell(restore, podVolumeProgress(restore));
    }
    this.#changed.resolve();
  }

  #podSeen({ type, object }: Change<Pod>): void {
    if (type === 'deleted') this.#waiting.remove(object);
    else this.#waiting.add(object);
    for (const restore of this.#made.ofPod(object)) {
      const key = keyText(keyOf(restore));
      if (this.#open.has(key)) this.#open.set(key, 0);
    }
    this.#changed.resolve();
  }

  #keep(key: string, restore: PodVolumeRestore): void {
    this.#all.set(key, restore);
    this.#made.add(restore);
  }

  #over(key: string, restore: PodVolumeRestore): void {
    this.#keep(key, restore);
    this.#open.delete(key);
    this.#ended.add(key);
  }

  #tell({ metadata }: PodVolumeRestore, progress: OperationProgress): void {
    const operationId = metadata.labels?.[labels.asyncOperationId];
    if (operationId !== undefined) this.#options.onChange(operationId, progress);
  }

  /** @returns when to look again, in wall-clock time */
  async #look(signal: AbortSignal): Promise<number> {
    const nowMs = this.#context.clock.now();
    for (const [key, atMs] of [...this.#open]) if (atMs <= nowMs) await this.#lookAt(key, nowMs, signal);
    // Pods are notified before operations end: when all operations have ended, following stops.
    const ended = [...this.#ended];
    if (!(await this.#tellPodsOf(ended, signal))) return nowMs + telling.againMs;
    for (const key of ended) {
      const restore = this.#all.get(key);
      this.#ended.delete(key);
      this.#told.add(key);
      if (restore !== undefined) this.#tell(restore, endedProgress(restore));
    }
    let dueMs = nowMs + lookMs;
    for (const atMs of this.#open.values()) dueMs = Math.min(dueMs, atMs);
    return dueMs;
  }

  async #lookAt(key: string, nowMs: number, signal: AbortSignal): Promise<void> {
    const restore = this.#all.get(key);
    if (restore === undefined) return;
    this.#open.set(key, nowMs + lookMs);
    const { namespace = '', name = '' } = restore.spec.pod;
    const pod = this.#pods.get({ namespace, name });
    const seen = { restore, pod, nowMs, timeoutMs: this.#options.timeoutMs, facts: this.#facts };
    try {
      const next = await giveUpOrWait(this.#context, seen, signal);
      if (typeof next !== 'number') this.#over(key, next.over);
      // A change that arrived meanwhile is processed at once.
      else if (this.#open.get(key) !== 0) this.#open.set(key, Math.min(Math.max(next, nowMs + 1), nowMs + lookMs));
    } catch (error) {
      signal.throwIfAborted();
      this.#context.log.warn({ pod: `${namespace}/${name}`, err: error }, 'a pod that waits cannot be looked at');
    }
  }

  /** Notifies the pods whose last volume has ended. @returns false when some have to be notified again */
  async #tellPodsOf(ended: readonly string[], signal: AbortSignal): Promise<boolean> {
    if (ended.length === 0) return true;
    const about = ended.flatMap((key) => {
      const restore = this.#all.get(key);
      return restore === undefined ? [] : this.#waiting.about(restore);
    });
    const pods = [...new Set(about)].filter(({ metadata: { uid = '' } }) => this.#triesOf(uid) < telling.timesMax);
    const hasEnded = (restore: PodVolumeRestore) => !this.#open.has(keyText(keyOf(restore)));
    const ports = { ...this.#context, events: this.#events };
    const told = await tellPods(ports, pods, { made: this.#made, hasEnded }, signal);
    let isDone = true;
    for (const [at, { metadata }] of pods.entries()) {
      const { uid = '' } = metadata;
      if (told[at] === 'told') this.#tries.set(uid, telling.timesMax);
      if (told[at] !== 'not now') continue;
      this.#tries.set(uid, this.#triesOf(uid) + 1);
      if (this.#triesOf(uid) < telling.timesMax) isDone = false;
    }
    return isDone;
  }

  #triesOf(uid: string): number {
    return this.#tries.get(uid) ?? 0;
  }
}
