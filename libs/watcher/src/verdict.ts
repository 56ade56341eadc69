import { type BackupResult, canceledSuffix, interruptedSuffix, type RestoreResult } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import type { Interruption } from './interruption.ts';
import type { PodEnd } from './pod-report.ts';
import { parseResult, sameResult } from './result-json.ts';

/** How the mover says it ended, in its last Event. */
export type EventEnding =
  | { kind: 'completed'; result: BackupResult | RestoreResult }
  | { kind: 'failed'; text: string }
  | { kind: 'canceled'; text: string }
  /** Two Events that say different things. A mover ends once, so one of them is wrong. */
  | { kind: 'conflicting'; text: string };

/** How the pod was lost without an end that anybody saw. */
export interface PodLost {
  code: Interruption;
  /** What happened to it: `was deleted before it ended`. */
  words: string;
}

/** All that is known about a data path's end. The two sources check each other (design "Dual mode event watch"). */
export interface Evidence {
  /** `namespace/name`, for messages. */
  podName: string;
  eventEnding?: EventEnding | undefined;
  podEnd?: PodEnd | undefined;
  /** The pod no longer exists, or is not going to end, and its end was not seen. */
  lost?: PodLost | undefined;
}

export type Verdict =
  /** Nothing has ended. */
  | { kind: 'open' }
  /** The pod has ended, or is lost, but an Event can still tell how. */
  | { kind: 'undecided' }
  | { kind: 'completed'; result: BackupResult | RestoreResult; remark?: string }
  | { kind: 'failed'; error: AppError }
  | { kind: 'canceled' };

export interface JudgeOptions {
  final: boolean;
  early: boolean;
}

/**
 * The termination message decides, because kubelet vouches for it; the ending Event fills in where it is missing or
 * cut, and must not contradict it. `final` says that no more Events are waited for. `early` says that a completion is
 * believed before the pod has ended.
 */
export function judge(evidence: Evidence, { final, early }: JudgeOptions): Verdict {
  if (evidence.podEnd === undefined)
    return evidence.lost === undefined ? judgeRunning(evidence, early) : judgeLost(evidence, evidence.lost, final);
  return evidence.podEnd.succeeded
    ? judgeSucceeded(evidence, evidence.podEnd, final)
    : judgeFailed(evidence, evidence.podEnd, final);
}

function judgeRunning({ eventEnding }: Evidence, early: boolean): Verdict {
  return early && eventEnding?.kind === 'completed' ? eventEnding : { kind: 'open' };
}

function judgeSucceeded({ podName, eventEnding }: Evidence, end: PodEnd, final: boolean): Verdict {
  const result = parseResult(end.message);
  if (eventEnding !== undefined && eventEnding.kind !== 'completed') {
    return failed('DATA_PATH_CONTRADICTION', `pod ${podName} succeeded, but its last Event says: ${eventEnding.text}`);
  }
  if (result === undefined) {
    if (eventEnding !== undefined) {
      return { ...eventEnding, remark: 'the termination message has no result; the Event has' };
    }
    const words = `pod ${podName} succeeded but left no result`;
    return final ? lost('DATA_PATH_NO_RESULT', words, true) : { kind: 'undecided' };
  }
  if (eventEnding !== undefined && !sameResult(result, eventEnding.result)) {
    return failed(
      'DATA_PATH_CONTRADICTION',
      `the two results of pod ${podName} differ: termination message ${end.message}, Event ${JSON.stringify(eventEnding.result)}`,
    );
  }
  return { kind: 'completed', result };
}

function judgeFailed({ podName, eventEnding }: Evidence, end: PodEnd, final: boolean): Verdict {
  const text = end.message.trim();
  if (text.endsWith(canceledSuffix) || eventEnding?.kind === 'canceled') return { kind: 'canceled' };
  const completed = eventEnding?.kind === 'completed' ? ' (after it had reported completion)' : '';
  const said = text === '' && eventEnding?.kind === 'failed' ? eventEnding.text.trim() : text;
  if (isInterrupted(said) || (said !== '' && end.loss === 'DATA_PATH_OUT_OF_MEMORY')) {
    const moverEnded = end.containerEnded || isInterrupted(said);
    return lost(end.loss ?? 'DATA_PATH_INTERRUPTED', `${said}: ${end.cause}`, moverEnded);
  }
  if (text !== '' && (!end.truncated || eventEnding !== undefined || final)) {
    return failed('DATA_PATH_FAILED', `${text}${completed}`);
  }
  if (text === '' && said !== '') return failed('DATA_PATH_FAILED', `${said}: ${end.cause}`);
  if (eventEnding?.kind === 'conflicting' && end.loss === undefined) return contradiction(podName, eventEnding.text);
  if (text === '' && (eventEnding !== undefined || final)) {
    const words = `pod ${podName} failed${completed}: ${end.cause}`;
    return end.loss === undefined ? failed('DATA_PATH_POD_FAILED', words) : lost(end.loss, words, end.containerEnded);
  }
  return { kind: 'undecided' };
}

function judgeLost({ podName, eventEnding }: Evidence, { code, words }: PodLost, final: boolean): Verdict {
  switch (eventEnding?.kind) {
    case 'completed':
      return { ...eventEnding, remark: 'the pod was lost before its end was seen; the Event has the result' };
    case 'canceled':
      return { kind: 'canceled' };
    case 'failed':
      return isInterrupted(eventEnding.text)
        ? lost(code, `${eventEnding.text} (pod ${podName} ${words})`, true)
        : failed('DATA_PATH_FAILED', eventEnding.text);
    case 'conflicting':
      return contradiction(podName, eventEnding.text);
    case undefined:
      return final ? lost(code, `pod ${podName} ${words}`, false) : { kind: 'undecided' };
    default:
      return eventEnding satisfies never;
  }
}

function contradiction(podName: string, text: string): Verdict {
  return failed('DATA_PATH_CONTRADICTION', `the ending Events of pod ${podName} differ: ${text}`);
}

const isInterrupted = (text: string): boolean => text.trim().endsWith(interruptedSuffix);

function nextStepAfter(loss: Interruption): string | undefined {
  switch (loss) {
    case 'DATA_PATH_OUT_OF_MEMORY':
      return 'Give data movers more memory: podResources in the node-agent configuration.';
    case 'DATA_PATH_EVICTED':
      return 'Free resources on the node, or set requests with podResources in the node-agent configuration.';
    case 'DATA_PATH_PREEMPTED':
      return 'Give data movers a priority: priorityClassName in the node-agent configuration.';
    case 'DATA_PATH_POD_GONE':
      return 'Find out who deletes pods there, then start again.';
    case 'DATA_PATH_NODE_LOST':
      return 'Check that the node is Ready and its kubelet runs.';
    case 'DATA_PATH_KILLED':
      return 'Check what ends processes on that node; its kernel log names those that the kernel has ended.';
    case 'DATA_PATH_NO_RESULT':
      return 'Check the log of the kubelet of that node, and that the node reaches the API server.';
    case 'DATA_PATH_NOT_STARTED':
      return 'Check the log of the kubelet of that node, and the load of the node.';
    default:
      return undefined;
  }
}

const failed = (code: string, message: string): Verdict => ({ kind: 'failed', error: new AppError(code, message) });

/** `moverEnded`: kubelet, or the mover itself, has said so; see `moverHasEnded`. */
function lost(code: Interruption, message: string, moverEnded: boolean): Verdict {
  const nextStep = nextStepAfter(code);
  const options = { details: { moverEnded }, ...(nextStep === undefined ? {} : { nextStep }) };
  return { kind: 'failed', error: new AppError(code, message, options) };
}
