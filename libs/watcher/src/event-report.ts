import { type CoreEvent, dataPathReasons } from '@lateen/api-types';
import type { BackupResult, DataPathProgress, RestoreResult } from '@lateen/datapath';
import { parseProgress, parseResult, sameResult } from './result-json.ts';
import type { EventEnding } from './verdict.ts';

/** What one Event of a data mover says (data-movement.md section 7). */
export type EventReport =
  | { kind: 'started' }
  | { kind: 'progress'; progress: DataPathProgress }
  | { kind: 'completed'; result: BackupResult | RestoreResult }
  | { kind: 'failed'; text: string }
  | { kind: 'canceled'; text: string }
  | { kind: 'canceling' }
  | { kind: 'stopped' }
  /** A reason of ours whose message could not be read. */
  | { kind: 'unreadable'; reason: string; message: string };

/** Undefined for Events that are not about a data path. */
export function eventReport(event: CoreEvent): EventReport | undefined {
  const message = event.message ?? '';
  switch (event.reason) {
    case dataPathReasons.started:
      return { kind: 'started' };
    case dataPathReasons.progress: {
      const progress = parseProgress(message);
      return progress === undefined ? unreadable(event) : { kind: 'progress', progress };
    }
    case dataPathReasons.completed: {
      const result = parseResult(message);
      return result === undefined ? unreadable(event) : { kind: 'completed', result };
    }
    case dataPathReasons.failed:
      return { kind: 'failed', text: message };
    case dataPathReasons.canceled:
      return { kind: 'canceled', text: message };
    case dataPathReasons.canceling:
      return { kind: 'canceling' };
    case dataPathReasons.stopped:
      return { kind: 'stopped' };
    default:
      return undefined;
  }
}

function unreadable(event: CoreEvent): EventReport {
  return { kind: 'unreadable', reason: event.reason ?? '', message: event.message ?? '' };
}

/**
 * What the mover says about its end, now that this Event came too. The same ending again (a later message of the same
 * Event, a repeated delivery) replaces what was known; a different one makes both doubtful, in whatever order they come.
 */
export function endingAfter(known: EventEnding | undefined, next: EventEnding): EventEnding {
  if (known === undefined || known.kind === 'conflicting') return known ?? next;
  const agrees =
    known.kind === 'completed' && next.kind === 'completed'
      ? sameResult(known.result, next.result)
      : known.kind === next.kind;
  return agrees ? next : { kind: 'conflicting', text: `${wordsOf(known)} / ${wordsOf(next)}` };
}

const wordsOf = (ending: EventEnding): string =>
  ending.kind === 'completed' ? `completed ${JSON.stringify(ending.result)}` : ending.text;
