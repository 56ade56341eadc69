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
import { type EventRecorder, type Informer, informer } from '@lateen/kube-runtime';
import type { OperationProgress } from '../../contract/operation-progress.ts';
import type { RestoreOperationContext } from '../../contract/restore-item-action.ts';
import { ofRestore } from '../../restore-csi/restore-labels.ts';
import { giveUpOrWait, lookMs } from './give-up.ts';
import { keptOfPod, keptOfRestore } from './kept-facts.ts';
import { isAboutPod } from './lost-volumes.ts';
import { endedProgress, podVolumeProgress } from './pod-volume-progress.ts';
import { recorderOf, tellPod } from './tell-pods.ts';

export interface FollowOptions {
  /** Of all of it, from when a movement was made. */
  timeoutMs: number;
  onChange(operationId: string, progress: OperationProgress): void;
}

/** The PodVolumeRestores of one restore from when its objects are restored, and the pods that wait for them; one watch of each. */
export class FollowedPodVolumes {
  readonly #context: RestoreOperationContext;
  readonly #options: FollowOptions;
  readonly #restores: Informer<PodVolumeRestore>;
  readonly #pods: Informer<Pod>;
  readonly #events: EventRecorder;
  /** As they were seen or written last, by key. */
  readonly #all = new Map<string, PodVolumeRestore>();
  /** Keys of those that have not ended, that have ended and are not told, and that are told. */
  readonly #open = new Set<string>();
  readonly #ended = new Set<string>();
  readonly #told = new Set<string>();
  readonly #toldPods = new Set<string>();
  #changed = Promise.withResolvers<void>();

  constructor(context: RestoreOperationContext, options: FollowOptions) {
    const { kube: api, clock, random, log, restore, veleroNamespace: namespace } = context;
    this.#context = context;
    this.#options = options;
    this.#events = recorderOf(context);
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

  /** Until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#restores.onChange(({ type, object }) => this.#seen(object, type === 'deleted'));
    this.#pods.onChange(() => this.#changed.resolve());
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
    if (this.#told.has(key)) return;
    if (isTerminalPhase(restore.status?.phase) || isDeleted) this.#over(key, restore);
    else {
      this.#all.set(key, restore);
      this.#open.add(key);
      this.#tell(restore, podVolumeProgress(restore));
    }
    this.#changed.resolve();
  }

  #over(key: string, restore: PodVolumeRestore): void {
    this.#all.set(key, restore);
    this.#open.delete(key);
    this.#ended.add(key);
  }

  #tell({ metadata }: PodVolumeRestore, progress: OperationProgress): void {
    const operationId = metadata.labels?.[labels.asyncOperationId];
    if (operationId !== undefined) this.#options.onChange(operationId, progress);
  }

  /** @returns when to look again, on the clock of the day */
  async #look(signal: AbortSignal): Promise<number> {
    const nowMs = this.#context.clock.now();
    let dueMs = nowMs + lookMs;
    for (const key of [...this.#open]) {
      const next = await this.#lookAt(key, nowMs, signal);
      if (typeof next === 'number') dueMs = Math.min(dueMs, Math.max(next, nowMs + 1));
      else this.#over(key, next.over);
    }
    // Pods are told before operations end: nothing is followed any more when all have.
    const ended = [...this.#ended];
    for (const key of ended) await this.#tellPodsOf(key, signal);
    for (const key of ended) {
      const restore = this.#all.get(key);
      this.#ended.delete(key);
      this.#told.add(key);
      if (restore !== undefined) this.#tell(restore, endedProgress(restore));
    }
    return dueMs;
  }

  async #lookAt(key: string, nowMs: number, signal: AbortSignal): Promise<number | { over: PodVolumeRestore }> {
    const restore = this.#all.get(key);
    if (restore === undefined) return nowMs + lookMs;
    const { namespace = '', name = '' } = restore.spec.pod;
    const pod = this.#pods.get({ namespace, name });
    const seen = { restore, pod, nowMs, timeoutMs: this.#options.timeoutMs };
    try {
      return await giveUpOrWait(this.#context, seen, signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#context.log.warn({ pod: `${namespace}/${name}`, err: error }, 'a pod that waits cannot be looked at');
      return nowMs + lookMs;
    }
  }

  /** Those whose last volume has ended; those that have started need no word. */
  async #tellPodsOf(key: string, signal: AbortSignal): Promise<void> {
    const ended = this.#all.get(key);
    if (ended === undefined) return;
    const restores = [...this.#all.values()].filter(({ spec }) => spec.pod.namespace === ended.spec.pod.namespace);
    for (const pod of this.#pods.list().filter((each) => isAboutPod(ended, each))) {
      const { uid = '', namespace, name } = pod.metadata;
      if (this.#toldPods.has(uid)) continue;
      try {
        if (await tellPod({ ...this.#context, events: this.#events }, pod, restores, signal)) this.#toldPods.add(uid);
      } catch (error) {
        signal.throwIfAborted();
        const fields = { pod: `${namespace}/${name}`, err: error };
        this.#context.log.warn(fields, 'a pod cannot be told what became of the volumes that it waits for');
      }
    }
    await this.#events.flush(signal);
  }
}
