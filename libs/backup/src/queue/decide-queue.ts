import type { BackupPhase } from '@lateen/api-types';
import { type BackupScope, ClaimedScopes } from './backup-scope.ts';

/** A backup as the queue sees it. Ended backups need not be passed. */
export interface QueuedBackup {
  name: string;
  phase: BackupPhase;
  /** `status.queuePosition`; 0 for none. */
  position: number;
  createdMs: number;
  scope: BackupScope;
  /** Being deleted or cancelled: it is never started, and no backup waits for it. */
  isLeaving: boolean;
}

export type QueueStep =
  | { kind: 'enqueue'; name: string; position: number }
  | { kind: 'start'; name: string }
  | { kind: 'renumber'; name: string; position: number };

const running: ReadonlySet<BackupPhase> = new Set(['ReadyToStart', 'InProgress', 'Canceling']);

/**
 * Decides the next steps of the queue, in this order of priority: backups that may start, new backups that get a position, and positions
 * that have to be renumbered from 1. A backup starts when fewer than `concurrentMax` run, and it overlaps with no running backup and none
 * ahead of it in the queue. So overlapping backups keep their order, and the others do not wait. Pure.
 */
export function decideQueue(backups: readonly QueuedBackup[], concurrentMax: number): QueueStep[] {
  const runs = backups.filter((each) => running.has(each.phase) && !(each.isLeaving && each.phase === 'ReadyToStart'));
  const waiting = backups.filter((each) => !each.isLeaving);
  const queued = waiting.filter(({ phase }) => phase === 'Queued').toSorted(byPlace);
  const fresh = waiting.filter(({ phase }) => phase === 'New').toSorted(byAge);
  const starts = startable(queued, runs, concurrentMax);
  const started = new Set(starts);
  const left = queued.filter(({ name }) => !started.has(name));
  const last = Math.max(0, ...left.map(({ position }) => position));
  return [
    ...starts.map((name): QueueStep => ({ kind: 'start', name })),
    ...fresh.map(({ name }, at): QueueStep => ({ kind: 'enqueue', name, position: last + 1 + at })),
    ...left.flatMap(({ name, position }, at): QueueStep[] =>
      position === at + 1 ? [] : [{ kind: 'renumber', name, position: at + 1 }],
    ),
  ];
}

function startable(
  queued: readonly QueuedBackup[],
  runs: readonly QueuedBackup[],
  concurrentMax: number,
): readonly string[] {
  const claimed = new ClaimedScopes();
  for (const { scope } of runs) claimed.add(scope);
  const names: string[] = [];
  for (const { name, scope } of queued) {
    if (runs.length + names.length >= concurrentMax) break;
    if (!claimed.overlaps(scope)) names.push(name);
    claimed.add(scope);
  }
  return names;
}

const byAge = (a: QueuedBackup, b: QueuedBackup): number => a.createdMs - b.createdMs || compare(a.name, b.name);
const byPlace = (a: QueuedBackup, b: QueuedBackup): number => a.position - b.position || byAge(a, b);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
