import type { CoreEvent, Pod } from '@lateen/api-types';
import { type Change, keyText } from '@lateen/kube';
import { type EventReport, eventReport } from './event-report.ts';
import { type WatchLimits, watchLimits } from './limits.ts';
import { disruption } from './pod-loss.ts';
import { containerHasStarted, podEnd } from './pod-report.ts';
import { repeatOnce } from './repeat-once.ts';
import { settledOrAborted } from './settled-or-aborted.ts';
import { isAbout, subjectFeedKey } from './subject.ts';
import { type Evidence, judge, type Verdict } from './verdict.ts';
import type { HostingPod, WatchHostingPodOptions } from './watch-options.ts';

/** One watch: what is known, and when it is enough. See {@link watchHostingPod} for the contract. */
export class PodWatch {
  readonly #options: WatchHostingPodOptions;
  readonly #limits: WatchLimits;
  readonly #pod: HostingPod;
  readonly #repeatLog: () => Promise<void>;
  readonly #evidence: Evidence;
  readonly #unsubscribe: (() => void)[] = [];
  readonly #closed = new AbortController();
  /** Resolves when the pod has ended or is gone. */
  readonly #podOver = Promise.withResolvers<void>();
  /** Reports from before the start, in order. */
  #held: EventReport[] | undefined = [];
  #containerStarted = false;
  #podUid: string | undefined;
  #early = false;
  #doubted = false;
  #waitsForEvents = false;
  #final = false;
  #ended = false;

  constructor(options: WatchHostingPodOptions, pod: HostingPod) {
    this.#options = options;
    this.#pod = pod;
    this.#limits = { ...watchLimits, ...options.limits };
    this.#evidence = { podName: keyText(pod) };
    const { logs, logFields: fields, clock, log } = options;
    const { container, namespace, name } = pod;
    const timeoutMs = this.#limits.logRepeatMs;
    this.#repeatLog = repeatOnce({ logs, pod: { namespace, name }, container, fields, timeoutMs, clock, log });
  }

  async init(signal: AbortSignal): Promise<void> {
    const { pods, events, subject } = this.#options;
    const podKey = keyText(this.#pod);
    this.#unsubscribe.push(
      pods.subscribe(podKey, (change) => this.#onPod(change)),
      events.subscribe(subjectFeedKey(subject), (change) => change.type !== 'deleted' && this.#onEvent(change.object)),
    );
    try {
      const known = pods.current(podKey)[0] ?? (await this.#options.readPod(this.#pod, signal));
      signal.throwIfAborted();
      if (known === undefined) this.#evidence.podGone = true;
      else this.#onPod({ type: 'added', object: known });
    } catch (error) {
      this.#stopWatching();
      throw error;
    }
    for (const event of events.current(subjectFeedKey(subject)).toSorted(byTime)) this.#onEvent(event);
  }

  start({ early }: { early: boolean }): void {
    this.#early = early;
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const report of held) this.#report(report);
    this.#evaluate();
  }

  async close(): Promise<void> {
    if (this.#early && this.#evidence.eventEnding?.kind === 'completed') {
      const { clock, stop } = this.#options;
      const late = clock.deadline(this.#limits.podEndAfterCompletionMs);
      await settledOrAborted(this.#podOver.promise, stop === undefined ? late : AbortSignal.any([late, stop]));
    }
    this.#stopWatching();
    this.#ended = true;
    const goesOn = this.#options.stop?.aborted === true && this.#evidence.podEnd === undefined;
    const hasBegun = this.#held === undefined;
    if (hasBegun && this.#containerStarted && this.#evidence.podGone !== true && !goesOn) await this.#repeatLog();
  }

  #stopWatching(): void {
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    this.#closed.abort();
  }

  #onPod(change: Change<Pod>): void {
    const { object: pod } = change;
    this.#podUid ??= pod.metadata.uid;
    if (pod.metadata.uid !== this.#podUid) return;
    this.#containerStarted ||= containerHasStarted(pod, this.#pod.container);
    this.#evidence.podEnd ??= podEnd(pod, this.#pod.container);
    this.#evidence.disruption ??= disruption(pod);
    if (change.type === 'deleted') this.#evidence.podGone = true;
    if (this.#evidence.podEnd !== undefined || this.#evidence.podGone === true) this.#podIsOver();
    if (change.type !== 'deleted' && this.#evidence.podEnd !== undefined && this.#containerStarted)
      void this.#repeatLog();
    this.#evaluate();
  }

  #onEvent(event: CoreEvent): void {
    if (!isAbout(event, this.#options.subject)) return;
    const report = eventReport(event);
    if (report === undefined) return;
    if (this.#held === undefined) this.#report(report);
    else this.#held.push(report);
    this.#evaluate();
  }

  #report(report: EventReport): void {
    if (this.#ended) return;
    const { callbacks, log } = this.#options;
    switch (report.kind) {
      case 'started':
        callbacks.onStarted();
        return;
      case 'progress':
        callbacks.onProgress(report.progress);
        return;
      case 'completed':
      case 'failed':
      case 'canceled':
        this.#evidence.eventEnding = report;
        return;
      case 'unreadable':
        log.warn(
          { reason: report.reason, text: report.message.slice(0, 200) },
          'an Event of the data mover cannot be read',
        );
        return;
      case 'canceling':
      case 'stopped':
        return;
      default:
        report satisfies never;
    }
  }

  #evaluate(): void {
    if (this.#held !== undefined || this.#ended) return;
    const verdict = judge(this.#evidence, { final: this.#final, early: this.#early });
    if (verdict.kind === 'open') return;
    if (verdict.kind === 'undecided') {
      this.#waitForEvents();
      return;
    }
    this.#ended = true;
    this.#settle(verdict);
  }

  #settle(verdict: Exclude<Verdict, { kind: 'open' | 'undecided' }>): void {
    const { callbacks, log } = this.#options;
    switch (verdict.kind) {
      case 'completed':
        if (verdict.remark !== undefined) log.warn({ pod: keyText(this.#pod) }, verdict.remark);
        callbacks.onCompleted(verdict.result);
        return;
      case 'failed':
        callbacks.onFailed(verdict.error);
        return;
      case 'canceled':
        callbacks.onCancelled();
        return;
      default:
        verdict satisfies never;
    }
  }

  /** Holds the pod's end against what was believed before it. */
  #podIsOver(): void {
    this.#podOver.resolve();
    if (this.#doubted || !this.#ended || !this.#early || this.#evidence.podEnd === undefined) return;
    const verdict = judge(this.#evidence, { final: true, early: false });
    if (verdict.kind === 'completed') return;
    this.#doubted = true;
    const err = verdict.kind === 'failed' ? verdict.error : undefined;
    const fields = { pod: keyText(this.#pod), err };
    this.#options.log.error(fields, 'the data path has completed, but the end of its pod says otherwise');
  }

  #waitForEvents(): void {
    if (this.#waitsForEvents) return;
    this.#waitsForEvents = true;
    const { clock, log } = this.#options;
    log.debug({ pod: keyText(this.#pod) }, 'the hosting pod has ended without saying how; waiting for its last Event');
    clock.sleep(this.#limits.eventsAfterPodEndMs, this.#closed.signal).then(
      () => {
        this.#final = true;
        this.#evaluate();
      },
      () => {},
    );
  }
}

const timeOf = (event: CoreEvent): string => event.lastTimestamp ?? event.metadata.creationTimestamp ?? '';
const byTime = (a: CoreEvent, b: CoreEvent): number => timeOf(a).localeCompare(timeOf(b));
