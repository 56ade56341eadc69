import { type GuardedCallbacks, guardedCallbacks } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import { settledOrAborted } from '@lateen/kernel';
import { keyText } from '@lateen/kube';
import type { EventReport } from './event-report.ts';
import { EvidenceFeed } from './evidence-feed.ts';
import { type WatchLimits, watchLimits } from './limits.ts';
import { LogCopy } from './log-copy.ts';
import { containerStart } from './pod-report.ts';
import { type FinalVerdict, tellReport, tellVerdict } from './tell.ts';
import { judge } from './verdict.ts';
import type { HostingPod, WatchHostingPodOptions } from './watch-options.ts';

/** How far a watch has come. */
type Stage =
  /** Before the start: what the mover says is kept, in order. */
  | { is: 'held'; reports: EventReport[] }
  /** `early`: a completion is believed before the pod has ended. */
  | { is: 'watching'; early: boolean }
  /** The pod is over and has not said how it ended; its last Event still may. */
  | { is: 'waiting' }
  /** The completion was told before the pod had ended, so its end is still to be held against it. */
  | { is: 'believed' }
  /** The end was told, or nobody wants to know it any more. */
  | { is: 'over' };

const contradiction = (text: string) => new AppError('DATA_PATH_CONTRADICTION', text);

/** One watch: what is known, and when it is enough. See {@link watchHostingPod} for the contract. */
export class PodWatch {
  readonly #options: WatchHostingPodOptions;
  readonly #limits: WatchLimits;
  readonly #pod: HostingPod;
  readonly #feed: EvidenceFeed;
  readonly #log: LogCopy;
  readonly #callbacks: GuardedCallbacks;
  /** Resolves when the pod has ended or is lost. */
  readonly #podOver = Promise.withResolvers<void>();
  #stage: Stage = { is: 'held', reports: [] };

  constructor(options: WatchHostingPodOptions, pod: HostingPod) {
    const { logs, logFields: fields, clock, log } = options;
    const { container, namespace, name } = pod;
    const limits = { ...watchLimits, ...options.limits };
    this.#options = options;
    this.#pod = pod;
    this.#limits = limits;
    this.#callbacks = guardedCallbacks(options.callbacks);
    this.#feed = new EvidenceFeed(options, limits, pod, {
      onPod: ({ isGone }) => this.#onPod(isGone),
      onReport: (report) => this.#onReport(report),
    });
    const timeoutMs = limits.logRepeatMs;
    this.#log = new LogCopy({ logs, pod: { namespace, name }, container, fields, timeoutMs, clock, log });
  }

  async init(signal: AbortSignal): Promise<void> {
    await this.#feed.start(signal);
  }

  start({ early }: { early: boolean }): void {
    const held = this.#stage.is === 'held' ? this.#stage.reports : [];
    this.#stage = { is: 'watching', early };
    for (const report of held) tellReport(report, this.#callbacks, this.#options.log);
    this.#followLog();
    this.#evaluate({ final: false });
  }

  async close(): Promise<void> {
    const { clock, stop } = this.#options;
    if (this.#stage.is === 'believed') {
      const late = clock.deadline(this.#limits.podEndAfterCompletionMs);
      await settledOrAborted(this.#podOver.promise, stop === undefined ? late : AbortSignal.any([late, stop]));
    }
    this.#feed.stop();
    this.#stage = { is: 'over' };
    this.#callbacks.close();
    const goesOn = stop?.aborted === true && !this.#feed.seen.isOver;
    await (goesOn ? this.#log.leave() : this.#log.finish());
  }

  #onPod(isGone: boolean): void {
    if (!isGone) this.#followLog();
    if (this.#feed.seen.isOver) {
      this.#podOver.resolve();
      this.#log.containerEnded();
      if (this.#stage.is === 'believed') this.#checkBelief();
    }
    this.#evaluate({ final: false });
  }

  /** From the container's start on, once somebody has begun to act on this watch. */
  #followLog(): void {
    const { lastPod } = this.#feed.seen;
    if (this.#stage.is === 'held' || lastPod === undefined || this.#feed.isStopped) return;
    const start = containerStart(lastPod, this.#pod.container);
    if (start !== undefined) this.#log.begin(start.startedAt);
  }

  #onReport(report: EventReport): void {
    if (this.#stage.is === 'held') this.#stage.reports.push(report);
    else tellReport(report, this.#callbacks, this.#options.log);
    this.#evaluate({ final: false });
  }

  #evaluate({ final }: { final: boolean }): void {
    const stage = this.#stage;
    if (stage.is !== 'watching' && stage.is !== 'waiting') return;
    const early = stage.is === 'watching' && stage.early;
    const verdict = judge(this.#feed.seen.all, { final, early });
    if (verdict.kind === 'open') return;
    if (verdict.kind !== 'undecided') this.#settle(verdict);
    else if (stage.is === 'watching') void this.#waitForEvents();
  }

  async #waitForEvents(): Promise<void> {
    this.#stage = { is: 'waiting' };
    this.#options.log.debug({ pod: keyText(this.#pod) }, 'the hosting pod is over; waiting for its last Event');
    if (await this.#feed.lastLook()) this.#evaluate({ final: true });
  }

  #settle(verdict: FinalVerdict): void {
    const isEarly = verdict.kind === 'completed' && !this.#feed.seen.isOver;
    this.#stage = isEarly ? { is: 'believed' } : { is: 'over' };
    tellVerdict(verdict, this.#callbacks, this.#options.log.child({ pod: keyText(this.#pod) }));
  }

  /** Holds the pod's end against what was told before it. */
  #checkBelief(): void {
    if (this.#feed.seen.all.podEnd === undefined) return;
    this.#stage = { is: 'over' };
    const verdict = judge(this.#feed.seen.all, { final: true, early: false });
    if (verdict.kind === 'completed') return;
    const pod = keyText(this.#pod);
    const err =
      verdict.kind === 'failed' ? verdict.error : contradiction(`pod ${pod} ended as if it had been canceled`);
    this.#options.log.error({ pod, err }, 'the data path has completed, but the end of its pod says otherwise');
    this.#options.onContradicted?.(err);
  }
}
