import type { CoreEvent } from '@lateen/api-types';
import { plainLine } from '@lateen/errors';
import { RateWindow } from '@lateen/kernel';
import { hasEnded, type MovementRow, movementRow, timeMs } from '../volume/movement-facts.ts';
import type { QueueAhead, RunSight } from './follow-run.ts';
import type { Run, RunCounts, RunNoun, RunPhase } from './run-noun.ts';

/** How much is done, and how fast. */
export interface Progress {
  done: number;
  /** 0 while the total is unknown. */
  total: number;
  perSecond?: number;
  leftMs?: number;
}

/** The progress of a run as numbers; the caller makes the texts. */
export interface RunProgressView {
  name: string;
  phase: RunPhase;
  /** Time since the start of the run, or since its creation while it has not started; ms. */
  elapsedMs: number;
  /** The position in the queue, from 1; absent when the run is not queued. */
  queuePosition?: number;
  /** The runs ahead of it in the queue. */
  ahead?: QueueAhead;
  /** True when no controller has taken the run for longer than a running controller needs. */
  isNotTaken: boolean;
  items: Progress;
  volumes: readonly MovementRow[];
  /** The bytes of all volumes that are being moved. */
  bytes: Progress;
  operations: RunCounts['operations'];
  /** Warning Events, each once, the newest last. */
  warnings: readonly string[];
}

/** A running controller takes a new run at once; this allows for a restart of the controller. */
const takenWithinMs = 20_000;

/** Measures the rates of one run; call it with each state of the run as it arrives. */
export class RunProgressMeter<T extends Run> {
  readonly #noun: RunNoun<T>;
  readonly #items = new RateWindow();
  readonly #bytes = new RateWindow();

  constructor(noun: RunNoun<T>) {
    this.#noun = noun;
  }

  /** @param nowMs since the epoch @param monotonicMs for rates */
  view({ run, movements, events, ahead }: RunSight<T>, nowMs: number, monotonicMs: number): RunProgressView {
    const { status, metadata } = run;
    const phase = this.#noun.phaseOf(run);
    const { items, operations } = this.#noun.countsOf(run);
    const volumes = movements.map((movement) => movementRow(movement, nowMs)).sort(byVolume);
    const bytes = { done: sumOf(volumes, 'bytesDone'), total: sumOf(volumes, 'totalBytes') };
    // The time in the queue must not count for the rate.
    if (phase === 'InProgress') this.#items.see(monotonicMs, items.done);
    this.#bytes.see(monotonicMs, bytes.done);
    const moves = movements.some((movement) => !hasEnded(movement));
    const startMs = timeMs(status?.startTimestamp) ?? timeMs(metadata.creationTimestamp) ?? nowMs;
    const endMs = this.#noun.hasEnded(run) ? (timeMs(status?.completionTimestamp) ?? nowMs) : nowMs;
    const queuePosition = status !== undefined && 'queuePosition' in status ? status.queuePosition : undefined;
    return {
      name: metadata.name ?? '',
      phase,
      elapsedMs: Math.max(endMs - startMs, 0),
      isNotTaken: phase === 'New' && ahead === undefined && endMs - startMs > takenWithinMs,
      ...(queuePosition ? { queuePosition } : {}),
      ...(ahead === undefined ? {} : { ahead }),
      items: { ...items, ...(phase === 'InProgress' ? paceOf(items, this.#items.perSecond()) : {}) },
      volumes,
      bytes: { ...bytes, ...(moves ? paceOf(bytes, this.#bytes.perSecond()) : {}) },
      operations,
      warnings: warningsIn(events),
    };
  }
}

const byVolume = (a: MovementRow, b: MovementRow): number =>
  a.volume.localeCompare(b.volume, 'en') || a.name.localeCompare(b.name, 'en');

const sumOf = (rows: readonly MovementRow[], field: 'bytesDone' | 'totalBytes'): number =>
  rows.reduce((sum, row) => sum + row[field], 0);

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
