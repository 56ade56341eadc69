import type { CoreEvent, Pod } from '@lateen/api-types';
import { keyText } from '@lateen/kube';
import type { Change } from '@lateen/kube-runtime';
import { type EventReport, endingAfter, eventReport } from './event-report.ts';
import { deletedPod } from './pod-lost.ts';
import { podEnd } from './pod-report.ts';
import { type EventSource, eventSourceOf, eventSourceWithoutPod, isFrom } from './pods-own-events.ts';
import { isAbout, type WatchSubject } from './subject.ts';
import type { EventEnding, Evidence, PodLost } from './verdict.ts';
import type { HostingPod } from './watch-options.ts';

/** All that one watch has seen of a hosting pod and of its mover's Events; another attempt's count for nothing. */
export class PodEvidence {
  readonly #container: string;
  readonly #subject: WatchSubject;
  readonly #evidence: Evidence;
  /** Set once the pod was looked at: whose Events count. */
  #source: EventSource | undefined;
  #lastPod: Pod | undefined;

  constructor(pod: HostingPod, subject: WatchSubject) {
    this.#container = pod.container;
    this.#subject = subject;
    this.#evidence = { podName: keyText(pod) };
  }

  /** For a verdict. */
  get all(): Evidence {
    return this.#evidence;
  }

  get lastPod(): Pod | undefined {
    return this.#lastPod;
  }

  /** The pod has ended or is lost. */
  get isOver(): boolean {
    return this.#evidence.podEnd !== undefined || this.#evidence.lost !== undefined;
  }

  /** False when it is another attempt's pod. */
  takePod({ type, object: pod }: Change<Pod>): boolean {
    this.#source ??= eventSourceOf(pod);
    if (this.#source.podUid !== undefined && pod.metadata.uid !== this.#source.podUid) return false;
    this.#lastPod = pod;
    this.#evidence.podEnd ??= podEnd(pod, this.#container);
    if (type === 'deleted' && this.#evidence.podEnd === undefined) this.lose(deletedPod(pod));
    return true;
  }

  /** The pod was looked for and is not there, if it has not come meanwhile. @param told the subject's Events */
  takeAbsence(told: readonly CoreEvent[]): void {
    if (this.#source !== undefined) return;
    this.#source = eventSourceWithoutPod(told, this.#subject);
    this.lose(deletedPod(undefined));
  }

  lose(lost: PodLost): void {
    this.#evidence.lost ??= lost;
  }

  /** What the Event says; undefined when it is another pod's, or about something else. An ending is taken as evidence. */
  takeEvent(event: CoreEvent): EventReport | undefined {
    // Before the pod was looked at, nobody knows whose Event it is; it is among the current ones then.
    if (this.#source === undefined || !isAbout(event, this.#subject) || !isFrom(event, this.#source)) return undefined;
    const report = eventReport(event);
    if (report !== undefined && isEnding(report)) {
      this.#evidence.eventEnding = endingAfter(this.#evidence.eventEnding, report);
    }
    return report;
  }
}

const isEnding = (report: EventReport): report is Extract<EventReport, EventEnding> =>
  report.kind === 'completed' || report.kind === 'failed' || report.kind === 'canceled';
