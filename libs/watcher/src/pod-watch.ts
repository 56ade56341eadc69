import type { CoreEvent, Pod } from '@lateen/api-types';
import { type GuardedCallbacks, guardedCallbacks } from '@lateen/datapath';
import { settledOrAborted } from '@lateen/kernel';
import { keyText } from '@lateen/kube';
import type { Change } from '@lateen/kube-runtime';
import { type EventReport, endingAfter, eventReport } from './event-report.ts';
import { type WatchLimits, watchLimits } from './limits.ts';
import { LogCopy } from './log-copy.ts';
import { deletedPod, overdueAtMs, overduePod } from './pod-lost.ts';
import { containerStart, podEnd } from './pod-report.ts';
import { byTime, type EventSource, eventSourceOf, eventSourceWithoutPod, isFrom } from './pods-own-events.ts';
import { isAbout, subjectFeedKey } from './subject.ts';
import { type Evidence, judge, type Verdict } from './verdict.ts';
import type { HostingPod, WatchHostingPodOptions } from './watch-options.ts';

/** One watch: what is known, and when it is enough. See {@link watchHostingPod} for the contract. */
export class PodWatch {
  readonly #options: WatchHostingPodOptions;
  readonly #limits: WatchLimits;
  readonly #pod: HostingPod;
  readonly #logCopy: LogCopy;
  readonly #evidence: Evidence;
  readonly #callbacks: GuardedCallbacks;
  readonly #unsubscribe: (() => void)[] = [];
  readonly #closed = new AbortController();
  /** Resolves when the pod has ended or is lost. */
  readonly #podOver = Promise.withResolvers<void>();
  /** Reports from before the start, in order. */
  #held: EventReport[] | undefined = [];
  /** Set once the pod was looked at: whose Events count. */
  #source: EventSource | undefined;
  #lastPod: Pod | undefined;
  #early = false;
  /** Completion was believed before the pod had ended, so its end is still to be held against it. */
  #believed = false;
  #waitsForEvents = false;
  #waitsForOverdue = false;
  #final = false;

  constructor(options: WatchHostingPodOptions, pod: HostingPod) {
    this.#options = options;
    this.#pod = pod;
    this.#limits = { ...watchLimits, ...options.limits };
    this.#evidence = { podName: keyText(pod) };
    this.#callbacks = guardedCallbacks(options.callbacks);
    const { logs, logFields: fields, clock, log } = options;
    const { container, namespace, name } = pod;
    const timeoutMs = this.#limits.logRepeatMs;
    this.#logCopy = new LogCopy({ logs, pod: { namespace, name }, container, fields, timeoutMs, clock, log });
  }

  async init(signal: AbortSignal): Promise<void> {
    const { pods, events, subject } = this.#options;
    const [podKey, eventKey] = [keyText(this.#pod), subjectFeedKey(subject)];
    this.#unsubscribe.push(
      pods.subscribe(podKey, (change) => this.#onPod(change)),
      events.subscribe(eventKey, (change) => change.type !== 'deleted' && this.#onEvent(change.object)),
    );
    try {
      const known = pods.current(podKey)[0] ?? (await this.#options.readPod(this.#pod, signal));
      signal.throwIfAborted();
      if (known !== undefined) this.#onPod({ type: 'added', object: known });
    } catch (error) {
      this.#stopWatching();
      throw error;
    }
    const told = events.current(eventKey).filter((event) => isAbout(event, subject));
    if (this.#source === undefined) {
      this.#source = eventSourceWithoutPod(told, subject);
      this.#lose();
    }
    for (const event of told.toSorted(byTime)) this.#onEvent(event);
  }

  start({ early }: { early: boolean }): void {
    this.#early = early;
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const report of held) this.#report(report);
    this.#followLog();
    this.#evaluate();
  }

  async close(): Promise<void> {
    if (this.#early && this.#evidence.eventEnding?.kind === 'completed') {
      const { clock, stop } = this.#options;
      const late = clock.deadline(this.#limits.podEndAfterCompletionMs);
      await settledOrAborted(this.#podOver.promise, stop === undefined ? late : AbortSignal.any([late, stop]));
    }
    this.#stopWatching();
    this.#callbacks.close();
    const goesOn = this.#options.stop?.aborted === true && !this.#isOver;
    await (goesOn ? this.#logCopy.leave() : this.#logCopy.finish());
  }

  get #isOver(): boolean {
    return this.#evidence.podEnd !== undefined || this.#evidence.lost !== undefined;
  }

  #stopWatching(): void {
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    this.#closed.abort();
  }

  #onPod(change: Change<Pod>): void {
    const { object: pod } = change;
    this.#source ??= eventSourceOf(pod);
    if (this.#source.podUid !== undefined && pod.metadata.uid !== this.#source.podUid) return;
    this.#lastPod = pod;
    this.#evidence.podEnd ??= podEnd(pod, this.#pod.container);
    if (change.type !== 'deleted') this.#followLog();
    if (change.type === 'deleted' && this.#evidence.podEnd === undefined) this.#lose();
    if (this.#isOver) this.#podIsOver();
    else this.#watchForOverdue(pod);
    this.#evaluate();
  }

  /** From the container's start on, once somebody has begun to act on this watch. */
  #followLog(): void {
    if (this.#held !== undefined || this.#lastPod === undefined || this.#closed.signal.aborted) return;
    const start = containerStart(this.#lastPod, this.#pod.container);
    if (start !== undefined) this.#logCopy.begin(start.startedAt);
  }

  #lose(): void {
    this.#evidence.lost ??= deletedPod(this.#lastPod);
  }

  #onEvent(event: CoreEvent): void {
    // Before the pod was looked at, nobody knows whose Event it is; it is among the current ones then.
    if (this.#source === undefined || !isAbout(event, this.#options.subject) || !isFrom(event, this.#source)) return;
    const report = eventReport(event);
    if (report === undefined) return;
    if (this.#held === undefined) this.#report(report);
    else this.#held.push(report);
    this.#evaluate();
  }

  #report(report: EventReport): void {
    switch (report.kind) {
      case 'started':
        this.#callbacks.onStarted();
        return;
      case 'progress':
        this.#callbacks.onProgress(report.progress);
        return;
      case 'completed':
      case 'failed':
      case 'canceled':
        this.#evidence.eventEnding = endingAfter(this.#evidence.eventEnding, report);
        return;
      case 'unreadable':
        this.#options.log.warn(
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
    if (this.#held !== undefined || this.#callbacks.ended) return;
    const verdict = judge(this.#evidence, { final: this.#final, early: this.#early });
    if (verdict.kind === 'open') return;
    if (verdict.kind === 'undecided') this.#waitForEvents();
    else this.#settle(verdict);
  }

  #settle(verdict: Exclude<Verdict, { kind: 'open' | 'undecided' }>): void {
    switch (verdict.kind) {
      case 'completed':
        if (verdict.remark !== undefined) this.#options.log.warn({ pod: keyText(this.#pod) }, verdict.remark);
        this.#believed = !this.#isOver;
        this.#callbacks.onCompleted(verdict.result);
        return;
      case 'failed':
        this.#callbacks.onFailed(verdict.error);
        return;
      case 'canceled':
        this.#callbacks.onCancelled();
        return;
      default:
        verdict satisfies never;
    }
  }

  /** Ends the log, and holds the pod's end against what was believed before it. */
  #podIsOver(): void {
    this.#podOver.resolve();
    this.#logCopy.containerEnded();
    if (!this.#believed || this.#evidence.podEnd === undefined) return;
    this.#believed = false;
    const verdict = judge(this.#evidence, { final: true, early: false });
    if (verdict.kind === 'completed') return;
    const err = verdict.kind === 'failed' ? verdict.error : undefined;
    const fields = { pod: keyText(this.#pod), err };
    this.#options.log.error(fields, 'the data path has completed, but the end of its pod says otherwise');
  }

  #waitForEvents(): void {
    if (this.#waitsForEvents) return;
    this.#waitsForEvents = true;
    this.#options.log.debug({ pod: keyText(this.#pod) }, 'the hosting pod is over; waiting for its last Event');
    this.#after(this.#limits.eventsAfterPodEndMs, () => void this.#lastLook());
  }

  async #lastLook(): Promise<void> {
    const { readEvents, log } = this.#options;
    try {
      const told = (await readEvents?.(this.#closed.signal)) ?? [];
      for (const event of told.toSorted(byTime)) this.#onEvent(event);
    } catch (error) {
      if (this.#closed.signal.aborted) return;
      log.warn(
        { err: error, pod: keyText(this.#pod) },
        'the last Events cannot be read; what the watch has shown counts',
      );
    }
    this.#final = true;
    this.#evaluate();
  }

  #watchForOverdue(pod: Pod): void {
    const nowMs = this.#options.clock.now();
    const atMs = overdueAtMs(pod, { nowMs, terminatingMs: this.#limits.terminatingMs });
    if (atMs === undefined || this.#waitsForOverdue) return;
    this.#waitsForOverdue = true;
    this.#after(Math.max(atMs - nowMs, 0), () => {
      this.#waitsForOverdue = false;
      const last = this.#lastPod;
      if (this.#isOver || last === undefined || overdueAtMs(last, { nowMs, terminatingMs: 0 }) === undefined) return;
      this.#evidence.lost = overduePod(last);
      this.#podIsOver();
      this.#evaluate();
    });
  }

  #after(ms: number, act: () => void): void {
    this.#options.clock.sleep(ms, this.#closed.signal).then(act, () => {});
  }
}
