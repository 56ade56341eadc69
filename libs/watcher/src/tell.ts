import type { GuardedCallbacks } from '@lateen/datapath';
import type { Logger } from '@lateen/kernel';
import type { EventReport } from './event-report.ts';
import type { Verdict } from './verdict.ts';

export type FinalVerdict = Exclude<Verdict, { kind: 'open' | 'undecided' }>;

/** How much of what cannot be read is logged. */
const textCharsMax = 200;

/** Tells what the mover says while it goes on. How it ended is for a verdict. */
export function tellReport(report: EventReport, callbacks: GuardedCallbacks, log: Logger): void {
  if (report.kind === 'started') callbacks.onStarted();
  if (report.kind === 'progress') callbacks.onProgress(report.progress);
  if (report.kind !== 'unreadable') return;
  const fields = { reason: report.reason, text: report.message.slice(0, textCharsMax) };
  log.warn(fields, 'an Event of the data mover cannot be read');
}

/** Tells how the data path has ended. */
export function tellVerdict(verdict: FinalVerdict, callbacks: GuardedCallbacks, log: Logger): void {
  switch (verdict.kind) {
    case 'completed':
      if (verdict.remark !== undefined) log.warn({}, verdict.remark);
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
