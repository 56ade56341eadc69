import { type CoreEvent, eventType, type Job, jobType, type KubeObject, type Pod, podType } from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import { settledOrAborted, silentLogger } from '@lateen/kernel';
import { isOwnedBy, type ResourceType } from '@lateen/kube';
import { informer } from '@lateen/kube-runtime';
import { endCondition } from '@lateen/maintenance';
import { containerOf, type JobSeen } from './job-step.ts';
import type { TaskPorts } from './task-ports.ts';

export const jobSightLimits = {
  /** How long the API server may be unreachable before the Job is given up. */
  awayMsMax: 120_000,
  /** The API server counts as reachable again when nothing has failed for this long; a watch is retried more often. */
  backMs: 60_000,
} as const;

/**
 * The state of a Job and its pod, kept up to date by watches. After a deletion the last state is kept, because the Job may be cleaned up
 * before the end of the Job was read.
 */
export class JobSight {
  readonly #ports: TaskPorts;
  readonly #owned: Job;
  #job: Job | undefined;
  #pod: Pod | undefined;
  #isJobKnown = false;
  #arePodsKnown = false;
  readonly #events = new Map<string, CoreEvent>();
  /** Watches of Events, by the name of the object that the Events are about. */
  readonly #eventWatches = new Map<string, AbortController>();
  #failed: { error: unknown } | undefined;
  #away: { sinceMs: number; lastMs: number } | undefined;
  #changed = Promise.withResolvers<void>();

  /** @param owned the Job as it was created */
  constructor(ports: TaskPorts, owned: Job) {
    this.#ports = ports;
    this.#owned = owned;
  }

  /** Watches until `signal` aborts, then resolves. */
  async run(signal: AbortSignal): Promise<void> {
    const { name = '' } = this.#owned.metadata;
    const onError = (error: unknown) => this.#troubled(error);
    const jobs = this.#informer(jobType, { fieldSelector: `metadata.name=${name}`, onError });
    const pods = this.#informer(podType, { labelSelector: `batch.kubernetes.io/job-name=${name}`, onError });
    jobs.onChange(({ type, object }) => {
      if (object.metadata.uid !== this.#owned.metadata.uid) return;
      const isOver = type === 'deleted' && endCondition(object) === undefined;
      this.#job = isOver ? undefined : object;
      this.#tell();
    });
    pods.onChange(({ type, object }) => {
      if (!isOwnedBy(object, this.#owned)) return;
      const isOver = type === 'deleted' && !hasEnded(object);
      this.#pod = isOver ? undefined : object;
      this.#tell();
    });
    const known = async (): Promise<void> => {
      await Promise.all([
        jobs.synced(signal).then(() => (this.#isJobKnown = true)),
        pods.synced(signal).then(() => (this.#arePodsKnown = true)),
      ]).catch(() => {});
      this.#tell();
    };
    await Promise.all([jobs.run(signal), pods.run(signal), known()]);
  }

  /** The current state; undefined until every watch has delivered its first list. @throws an error that the watches cannot recover from */
  now(): JobSeen | undefined {
    if (this.#failed !== undefined) throw this.#failed.error;
    if (!this.#isJobKnown || !this.#arePodsKnown) return undefined;
    const { name = '' } = this.#owned.metadata;
    return { name, job: this.#job, pod: this.#pod, events: [...this.#events.values()] };
  }

  /** Resolves at the next change, or after `ms`. @throws the signal's reason */
  async changed(ms: number, signal: AbortSignal): Promise<void> {
    const late = this.#ports.clock.deadline(ms);
    await settledOrAborted(this.#changed.promise, AbortSignal.any([signal, late]));
    signal.throwIfAborted();
  }

  /** Watches Events of the Job and its pod too while they can explain why it does not start; without the right to read them, none. */
  watchEvents(wanted: boolean, signal: AbortSignal): void {
    const names = [this.#owned.metadata.name, this.#pod?.metadata.name];
    for (const name of wanted ? names : []) {
      if (name === undefined || this.#eventWatches.has(name)) continue;
      const stop = new AbortController();
      this.#eventWatches.set(name, stop);
      const onError = (error: unknown) => {
        if (isAppError(error, 'KUBE_FORBIDDEN')) stop.abort();
      };
      const events = this.#informer(eventType, { fieldSelector: `involvedObject.name=${name}`, onError });
      events.onChange(({ object }) => {
        this.#events.set(object.metadata.name ?? '', object);
        this.#tell();
      });
      void events.run(AbortSignal.any([signal, stop.signal]));
    }
    if (!wanted) for (const stop of this.#eventWatches.values()) stop.abort();
  }

  #informer<T extends KubeObject>(
    type: ResourceType<T>,
    selected: { fieldSelector?: string; labelSelector?: string; onError: (error: unknown) => void },
  ) {
    const { kube, clock, random } = this.#ports;
    const { namespace } = this.#owned.metadata;
    return informer({ api: kube, type, namespace, ...selected, clock, random, log: silentLogger });
  }

  #tell(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
  }

  /** The watches recover by themselves; this handles errors that they cannot recover from, and an API server unreachable for too long. */
  #troubled(error: unknown): void {
    const nowMs = this.#ports.clock.monotonicMs();
    const isBack = this.#away === undefined || nowMs - this.#away.lastMs > jobSightLimits.backMs;
    this.#away = { sinceMs: isBack ? nowMs : (this.#away?.sinceMs ?? nowMs), lastMs: nowMs };
    if (isPassing(error) && nowMs - this.#away.sinceMs <= jobSightLimits.awayMsMax) return;
    this.#failed ??= { error };
    this.#tell();
  }
}

const isPassing = (error: unknown): boolean =>
  isAppError(error) && error.retry !== 'never' && error.code !== 'KUBE_FORBIDDEN' && error.code !== 'KUBE_UNAUTHORIZED';

function hasEnded(pod: Pod): boolean {
  const { phase } = pod.status ?? {};
  return phase === 'Succeeded' || phase === 'Failed' || containerOf(pod)?.state?.terminated !== undefined;
}
