import {
  annotations,
  getValidName,
  isTerminalPhase,
  labels,
  type Pod,
  type PodVolumeRestore,
  podType,
  podVolumeRestoreType,
} from '@lateen/api-types';
import { durationText, orAborted } from '@lateen/kernel';
import { isNotFound, keyOf, keyText } from '@lateen/kube';
import { type Informer, informer } from '@lateen/kube-runtime';
import type { OperationProgress } from '../../contract/operation-progress.ts';
import type { RestoreOperationContext } from '../../contract/restore-item-action.ts';
import { ofRestore } from '../../restore-csi/restore-labels.ts';
import { hasBegun } from './failed-pod-volumes.ts';
import { keptOfPod, keptOfRestore } from './kept-facts.ts';
import { podVolumeProgress } from './pod-volume-progress.ts';
import { tellPodsOfVolumes } from './tell-pods.ts';
import { waitingPod } from './waiting-pod.ts';
import { dataStillComes, hasNodeAgent } from './what-it-waits-for.ts';

/**
 * How long a pod may take until it waits on a node (the reference's limit for its scheduling), how long one that was cancelled may take to end, and
 * the longest time between two looks.
 */
const limits = { startMs: 600_000, endMs: 600_000, lookMs: 60_000 } as const;

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
  /** By key; what has ended and is told is not here. */
  readonly #open = new Map<string, PodVolumeRestore>();
  /** Ended, and not told yet. */
  readonly #ended = new Map<string, PodVolumeRestore>();
  readonly #told = new Set<string>();
  readonly #toldPods = new Set<string>();
  #changed = Promise.withResolvers<void>();

  constructor(context: RestoreOperationContext, options: FollowOptions) {
    const { kube: api, clock, random, log, restore, veleroNamespace: namespace } = context;
    this.#context = context;
    this.#options = options;
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
    this.#pods.onChange(() => this.#wake());
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

  #wake(): void {
    this.#changed.resolve();
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
    if (isTerminalPhase(restore.status?.phase) || isDeleted) {
      this.#open.delete(key);
      this.#ended.set(key, restore);
    } else {
      this.#open.set(key, restore);
      this.#tell(restore, podVolumeProgress(restore));
    }
    this.#wake();
  }

  #tell({ metadata }: PodVolumeRestore, progress: OperationProgress): void {
    const operationId = metadata.labels?.[labels.asyncOperationId];
    if (operationId !== undefined) this.#options.onChange(operationId, progress);
  }

  /** @returns when to look again, on the clock of the day */
  async #look(signal: AbortSignal): Promise<number> {
    const nowMs = this.#context.clock.now();
    let dueMs = nowMs + limits.lookMs;
    for (const [key, restore] of [...this.#open]) {
      const next = await this.#tryLookAt(restore, nowMs, signal);
      if (typeof next === 'number') dueMs = Math.min(dueMs, Math.max(next, nowMs + 1));
      else {
        this.#open.delete(key);
        this.#ended.set(key, next.over);
      }
    }
    for (const [key, restore] of [...this.#ended]) {
      this.#ended.delete(key);
      this.#told.add(key);
      await this.#end(restore, signal);
    }
    return dueMs;
  }

  async #tryLookAt(restore: PodVolumeRestore, nowMs: number, signal: AbortSignal): Promise<number | Over> {
    try {
      return await this.#lookAt(restore, nowMs, signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#context.log.warn({ podVolumeRestore: restore.metadata.name, err: error }, 'a pod cannot be looked at');
      return nowMs + limits.lookMs;
    }
  }

  /** @returns when to look again, or that it is over, as it was written last */
  async #lookAt(restore: PodVolumeRestore, nowMs: number, signal: AbortSignal): Promise<number | Over> {
    const { timeoutMs } = this.#options;
    const madeMs = Date.parse(restore.metadata.creationTimestamp ?? '') || nowMs;
    if (nowMs >= madeMs + timeoutMs) {
      const why = `timed out waiting for all PodVolumeRestores to complete (${durationText(timeoutMs)})`;
      const canceled = await this.#cancel(restore, why, signal);
      const endMs = madeMs + timeoutMs + limits.endMs;
      return isNew(restore) || nowMs >= endMs ? { over: canceled } : endMs;
    }
    if (!isNew(restore)) return madeMs + timeoutMs;
    if (restore.spec.cancel === true) return { over: restore };
    const why = await this.#whyNever(restore, nowMs, signal);
    if (typeof why === 'number') return Math.min(why, madeMs + timeoutMs);
    return { over: await this.#cancel(restore, why, signal) };
  }

  /** @returns why no node-agent will ever take it on, or when to ask again */
  async #whyNever(restore: PodVolumeRestore, nowMs: number, signal: AbortSignal): Promise<string | number> {
    const { namespace = '', name = '' } = restore.spec.pod;
    const pod = this.#pods.get({ namespace, name });
    const state = waitingPod({ restore, pod, nowMs, startMs: limits.startMs });
    switch (state.is) {
      case 'over':
        return state.why;
      case 'waiting':
        return nowMs + limits.lookMs;
      case 'on node':
        if (nowMs < state.dueMs) return state.dueMs;
        if (await hasNodeAgent(state.node, this.#context, signal)) return nowMs + limits.lookMs;
        return `no node-agent runs on node ${state.node}, where pod ${namespace}/${name} waits`;
      case 'starting': {
        if (nowMs < state.dueMs) return state.dueMs;
        const untilMs = pod === undefined ? undefined : await dataStillComes(pod, this.#context, signal);
        if (untilMs === undefined || nowMs >= untilMs + limits.startMs) return state.why;
        return Math.min(untilMs + limits.startMs, nowMs + limits.lookMs);
      }
      default:
        return state satisfies never;
    }
  }

  async #cancel(restore: PodVolumeRestore, why: string, signal: AbortSignal): Promise<PodVolumeRestore> {
    if (restore.metadata.annotations?.[annotations.canceledBecause] !== undefined) return restore;
    const body = { metadata: { annotations: { [annotations.canceledBecause]: why } }, spec: { cancel: true } };
    try {
      return await this.#context.kube.patch(podVolumeRestoreType, keyOf(restore), { type: 'merge', body }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return restore;
    }
  }

  /** The pod is told before the operation ends: nothing is followed any more when all have. */
  async #end(restore: PodVolumeRestore, signal: AbortSignal): Promise<void> {
    await this.#tellPod(restore, signal);
    const progress = podVolumeProgress(restore);
    const { name } = restore.metadata;
    // It has not ended, and is gone or does not end although it was cancelled long ago.
    const error = restore.spec.cancel
      ? `PodVolumeRestore ${name} does not end: ${restore.metadata.annotations?.[annotations.canceledBecause] ?? 'it was cancelled'}`
      : `PodVolumeRestore ${name} was deleted`;
    this.#tell(restore, progress.completed ? progress : { ...progress, completed: true, error });
  }

  /** Whichever of its volumes ends last. */
  async #tellPod({ spec }: PodVolumeRestore, signal: AbortSignal): Promise<void> {
    const { uid = '', namespace = '', name = '' } = spec.pod;
    const pod = this.#pods.get({ namespace, name });
    if (pod === undefined || hasBegun(pod) || this.#toldPods.has(uid)) return;
    // Of those that are still open the last will tell.
    if ([...this.#open.values(), ...this.#ended.values()].some((each) => each.spec.pod.uid === uid)) return;
    try {
      if ((await tellPodsOfVolumes(this.#context, signal, uid)) > 0) this.#toldPods.add(uid);
    } catch (error) {
      signal.throwIfAborted();
      const fields = { pod: `${namespace}/${name}`, err: error };
      this.#context.log.warn(fields, 'a pod cannot be told what became of the volumes that it waits for');
    }
  }
}

/** As it was written last. */
interface Over {
  over: PodVolumeRestore;
}

const isNew = ({ status }: PodVolumeRestore): boolean => (status?.phase || 'New') === 'New';
