import type { CoreEvent, Pod } from '@lateen/api-types';
import { keyText } from '@lateen/kube';
import type { Change } from '@lateen/kube-runtime';
import type { EventReport } from './event-report.ts';
import type { WatchLimits } from './limits.ts';
import { OverdueWatch } from './overdue-watch.ts';
import { PodEvidence } from './pod-evidence.ts';
import { byTime } from './pods-own-events.ts';
import { isAbout, subjectFeedKey } from './subject.ts';
import type { HostingPod, WatchHostingPodOptions } from './watch-options.ts';

export interface EvidenceHandlers {
  /** The pod has changed, has gone, or is found lost: {@link EvidenceFeed.seen} has it. */
  onPod(change: { isGone: boolean }): void;
  onReport(report: EventReport): void;
}

/** Gathers what one watch has to know: the pod's phases and its mover's Events, from before the watch and from then on. */
export class EvidenceFeed {
  readonly seen: PodEvidence;
  readonly #options: WatchHostingPodOptions;
  readonly #limits: WatchLimits;
  readonly #pod: HostingPod;
  readonly #on: EvidenceHandlers;
  readonly #overdue: OverdueWatch;
  readonly #unsubscribe: (() => void)[] = [];
  readonly #stopped = new AbortController();

  constructor(options: WatchHostingPodOptions, limits: WatchLimits, pod: HostingPod, handlers: EvidenceHandlers) {
    const { clock, subject } = options;
    this.#options = options;
    this.#limits = limits;
    this.#pod = pod;
    this.#on = handlers;
    this.seen = new PodEvidence(pod, subject);
    this.#overdue = new OverdueWatch({
      clock,
      terminatingMs: limits.terminatingMs,
      signal: this.#stopped.signal,
      lastPod: () => (this.seen.isOver ? undefined : this.seen.lastPod),
      onLost: (lost) => {
        this.seen.lose(lost);
        handlers.onPod({ isGone: false });
      },
    });
  }

  get isStopped(): boolean {
    return this.#stopped.signal.aborted;
  }

  /** Resolves when nothing can be missed any more, and everything from before has been handed on. */
  async start(signal: AbortSignal): Promise<void> {
    const { pods, events, subject, readPod } = this.#options;
    const [podKey, eventKey] = [keyText(this.#pod), subjectFeedKey(subject)];
    this.#unsubscribe.push(
      pods.subscribe(podKey, (change) => this.#onPod(change)),
      events.subscribe(eventKey, (change) => change.type !== 'deleted' && this.#onEvent(change.object)),
    );
    try {
      const known = pods.current(podKey)[0] ?? (await readPod(this.#pod, signal));
      signal.throwIfAborted();
      if (known !== undefined) this.#onPod({ type: 'added', object: known });
    } catch (error) {
      this.stop();
      throw error;
    }
    const told = events.current(eventKey).filter((event) => isAbout(event, subject));
    this.seen.takeAbsence(told);
    for (const event of told.toSorted(byTime)) this.#onEvent(event);
  }

  /** Waits for Events that are still on their way, then reads them once more. False when it was stopped meanwhile. */
  async lastLook(): Promise<boolean> {
    const { clock, log, readEvents } = this.#options;
    const { signal } = this.#stopped;
    try {
      await clock.sleep(this.#limits.eventsAfterPodEndMs, signal);
      const told = (await readEvents?.(signal)) ?? [];
      for (const event of told.toSorted(byTime)) this.#onEvent(event);
    } catch (error) {
      if (signal.aborted) return false;
      const pod = keyText(this.#pod);
      log.warn({ err: error, pod }, 'the last Events cannot be read; what the watch has shown counts');
    }
    return true;
  }

  stop(): void {
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    this.#stopped.abort();
  }

  #onPod(change: Change<Pod>): void {
    if (!this.seen.takePod(change)) return;
    if (!this.seen.isOver) this.#overdue.look(change.object);
    this.#on.onPod({ isGone: change.type === 'deleted' });
  }

  #onEvent(event: CoreEvent): void {
    const report = this.seen.takeEvent(event);
    if (report !== undefined) this.#on.onReport(report);
  }
}
