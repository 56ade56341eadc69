import { attemptOf, type DataMovementPhase, isTerminalPhase, type RestoreThroughput } from '@lateen/api-types';
import type { Change } from '@lateen/kube-runtime';
import type { Movement, MovementKind } from '../kinds/movement-kind.ts';

/** The facts about a kind for observers. */
export type ObservedKind<T extends Movement> = Pick<MovementKind<T>, 'words' | 'owner'>;

/** Receives changes, for metrics. No method may throw or wait. */
export interface MovementObserver {
  /** A movement of this node is seen for the first time, has changed, or is gone. */
  changed(change: MovementChange): void;
  /** Called once before anything moves, with a function that reads the present state. Reading is cheap and makes no call. */
  readings(read: () => MovementReadings): void;
}

export interface MovementChange {
  /** The kind as messages spell it: `data upload`. */
  words: string;
  uid: string;
  type: 'added' | 'updated' | 'deleted';
  /** Set only for updates. */
  previous?: MovementState;
  present: MovementState;
  /** When the change was seen. All times in ms since the epoch; the API's have whole seconds. */
  seenMs: number;
  createdMs: number | undefined;
  acceptedMs: number | undefined;
  startedMs: number | undefined;
  completedMs: number | undefined;
}

export interface MovementState {
  phase: DataMovementPhase;
  bytesDone: number;
  /** 1 for the first attempt. */
  attempts: number;
  /** For an upload that verified unchanged parts of its base: how that went. */
  verification?: 'passed' | 'failed' | undefined;
  /** For a restore. */
  throughput?: RestoreThroughput | undefined;
}

export interface MovementReadings {
  /** How many movements of this node are in each phase; phases without any may be missing. */
  phases: readonly { words: string; phase: DataMovementPhase; count: number }[];
  slots: { total: number; taken: number; waiting: number };
  exposures: { running: number; max: number };
  /** Movements that are not accepted yet because too many are being prepared; `max` 0 means no limit. */
  prepareQueue: { max: number; waiting: number };
  /** Number of watches that broke and were restarted since the start. */
  watchInterruptions: number;
}

/** Passes an informer's change on when the movement belongs to this node; ignores all others. */
export function tellObserver<T extends Movement>(
  observer: MovementObserver,
  { words, owner }: ObservedKind<T>,
  change: Change<T>,
  { node, nowMs }: { node: string; nowMs: number },
): void {
  const { object } = change;
  if (owner.nodeOf(object) !== node) return;
  const { status } = object;
  observer.changed({
    words,
    uid: object.metadata.uid ?? '',
    type: change.type,
    ...(change.type === 'updated' ? { previous: stateOf(change.previous) } : {}),
    present: stateOf(object),
    seenMs: nowMs,
    createdMs: timeOf(object.metadata.creationTimestamp),
    acceptedMs: timeOf(status?.acceptedTimestamp),
    startedMs: timeOf(status?.startTimestamp),
    completedMs: timeOf(status?.completionTimestamp),
  });
}

/** The movements of this node by phase. Movements without an owner are not counted. */
export function countPhases<T extends Movement>(
  { words, owner }: ObservedKind<T>,
  objects: readonly T[],
  node: string,
): { words: string; phase: DataMovementPhase; count: number }[] {
  const counts = new Map<DataMovementPhase, number>();
  for (const object of objects) {
    const { phase } = stateOf(object);
    if (owner.nodeOf(object) === node) counts.set(phase, (counts.get(phase) ?? 0) + 1);
  }
  return [...counts].map(([phase, count]) => ({ words, phase, count }));
}

function stateOf(object: Movement): MovementState {
  return {
    phase: object.status?.phase ?? 'New',
    bytesDone: object.status?.progress?.bytesDone ?? 0,
    attempts: attemptOf(object),
    verification: verificationIn(object.status),
    throughput: throughputOf(object.status),
  };
}

function verificationIn(status: Movement['status']): MovementState['verification'] {
  const { verifiedBytes, differsAt } =
    (status !== undefined && 'changedBlocks' in status && status.changedBlocks) || {};
  if (differsAt !== undefined) return 'failed';
  return verifiedBytes === undefined ? undefined : 'passed';
}

const throughputOf = (status: Movement['status']): RestoreThroughput | undefined =>
  status !== undefined && 'throughput' in status ? status.throughput : undefined;

function timeOf(timestamp: string | null | undefined): number | undefined {
  const ms = Date.parse(timestamp ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** True once, for the change in which a movement ends. */
export const hasJustEnded = ({ previous, present }: MovementChange): boolean =>
  previous !== undefined && isTerminalPhase(present.phase) && !isTerminalPhase(previous.phase);
