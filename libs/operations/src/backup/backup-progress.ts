import type { Backup, BackupPhase, CoreEvent } from '@lateen/api-types';
import { plainLine } from '@lateen/errors';
import { hasEnded, type MovementRow, movementRow, timeMs } from '../volume/movement-facts.ts';
import { backupHasEnded, backupPhaseOf } from './backup-noun.ts';
import type { BackupSight } from './follow-backup.ts';
import type { QueueAhead } from './queue-watch.ts';
import { RateWindow } from './rate-window.ts';

/** How much of something is done, and how fast. */
export interface Progress {
  done: number;
  /** 0 while it is not known. */
  total: number;
  perSecond?: number;
  leftMs?: number;
}

/** What is told of a running backup; numbers, not texts. */
export interface BackupProgressView {
  name: string;
  phase: BackupPhase;
  /** Since it started, or was created while it has not; ms. */
  elapsedMs: number;
  /** From 1; absent when it does not wait for its turn. */
  queuePosition?: number;
  /** What it stands behind there. */
  ahead?: QueueAhead;
  /** Nobody has taken it on for longer than a controller that runs needs. */
  isNotTaken: boolean;
  items: Progress;
  volumes: readonly MovementRow[];
  /** Of all volumes that move. */
  bytes: Progress;
  operations: { attempted: number; completed: number; failed: number };
  /** Warning Events, each once, the newest last. */
  warnings: readonly string[];
}

/** A controller takes a new backup at once; so long it may be away for a restart. */
const takenWithinMs = 20_000;

/** Follows the rates of one backup; give it each sight as it comes. */
export class BackupProgressMeter {
  readonly #items = new RateWindow();
  readonly #bytes = new RateWindow();

  /** @param nowMs since the epoch @param monotonicMs for rates */
  view({ backup, uploads, events, ahead }: BackupSight, nowMs: number, monotonicMs: number): BackupProgressView {
    const { status, metadata } = backup;
    const phase = backupPhaseOf(backup);
    const volumes = uploads.map((upload) => movementRow(upload, nowMs)).sort(byVolume);
    const items = { done: status?.progress?.itemsBackedUp ?? 0, total: status?.progress?.totalItems ?? 0 };
    const bytes = { done: sumOf(volumes, 'bytesDone'), total: sumOf(volumes, 'totalBytes') };
    this.#items.see(monotonicMs, items.done);
    this.#bytes.see(monotonicMs, bytes.done);
    const moves = uploads.some((upload) => !hasEnded(upload));
    const startMs = timeMs(status?.startTimestamp) ?? timeMs(metadata.creationTimestamp) ?? nowMs;
    const endMs = backupHasEnded(backup) ? (timeMs(status?.completionTimestamp) ?? nowMs) : nowMs;
    return {
      name: metadata.name ?? '',
      phase,
      elapsedMs: Math.max(endMs - startMs, 0),
      isNotTaken: phase === 'New' && endMs - startMs > takenWithinMs,
      ...(status?.queuePosition ? { queuePosition: status.queuePosition } : {}),
      ...(ahead === undefined ? {} : { ahead }),
      items: { ...items, ...(isCollecting(backup) ? paceOf(items, this.#items.perSecond()) : {}) },
      volumes,
      bytes: { ...bytes, ...(moves ? paceOf(bytes, this.#bytes.perSecond()) : {}) },
      operations: {
        attempted: status?.backupItemOperationsAttempted ?? 0,
        completed: status?.backupItemOperationsCompleted ?? 0,
        failed: status?.backupItemOperationsFailed ?? 0,
      },
      warnings: warningsIn(events),
    };
  }
}

const byVolume = (a: MovementRow, b: MovementRow): number =>
  a.volume.localeCompare(b.volume, 'en') || a.name.localeCompare(b.name, 'en');

const sumOf = (rows: readonly MovementRow[], field: 'bytesDone' | 'totalBytes'): number =>
  rows.reduce((sum, row) => sum + row[field], 0);

const isCollecting = (backup: Backup): boolean => backupPhaseOf(backup) === 'InProgress';

function paceOf({ done, total }: Progress, perSecond: number | undefined): Pick<Progress, 'perSecond' | 'leftMs'> {
  if (perSecond === undefined) return {};
  return total > done ? { perSecond, leftMs: ((total - done) * 1_000) / perSecond } : { perSecond };
}

function warningsIn(events: readonly CoreEvent[]): string[] {
  const warnings = inOrder(events).filter(({ type }) => type === 'Warning');
  return [...new Set(warnings.map(({ reason, message }) => plainLine([reason, message].filter(Boolean).join(': '))))];
}

const inOrder = (events: readonly CoreEvent[]): CoreEvent[] =>
  events.toSorted((a, b) => (eventMs(a) ?? 0) - (eventMs(b) ?? 0));

const eventMs = (event: CoreEvent): number | undefined =>
  timeMs(event.lastTimestamp ?? event.eventTime ?? event.firstTimestamp);
