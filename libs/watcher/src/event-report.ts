import { type CoreEvent, dataPathReasons } from '@lateen/api-types';
import type { BackupResult, DataPathProgress, RestoreResult } from '@lateen/datapath';
import { parseProgress, parseResult } from './result-json.ts';

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
