import { attemptOf, movementReasons } from '@lateen/api-types';
import type { BackupResult, RestoreResult } from '@lateen/datapath';
import { describeError } from '@lateen/errors';
import { type BackoffLimits, type Logger, type RetryPolicy, retry } from '@lateen/kernel';
import { isNotFound } from '@lateen/kube';
import { isInterruption, moverHasEnded } from '@lateen/watcher';
import type { Movement, MovementKind, MovementPatch } from '../kinds/movement-kind.ts';
import { attemptText } from '../status/attempt.ts';
import { type NextAttemptPorts, tryAgain } from '../status/next-attempt.ts';
import { endMovement, timestamp } from '../status/write-movement.ts';
import { resultStatus } from './note-result.ts';

export type Ending =
  | { phase: 'Completed'; result: BackupResult | RestoreResult }
  | { phase: 'Failed'; error: unknown }
  | { phase: 'Canceled' };

export interface RecordEndPorts extends NextAttemptPorts {
  log: Logger;
  /** Tells the user about a movement; the reason is one of movementReasons. */
  tell(object: Movement, reason: string, message: string): void;
}

export interface EndOf<T extends Movement> {
  kind: MovementKind<T>;
  /** The object as it was when its data path started: of the attempt that ends. */
  object: T;
  ending: Ending;
  /** Removes notes that do not apply to a movement that has ended. */
  clearing: { message?: string | null };
}

/** The write of an end is repeated for as long as the process lives. */
export const recordBackoff: BackoffLimits = { firstMs: 200, maxMs: 15_000, factor: 2, jitter: 0.2 };

/** Writes the end of a data path, or begins the next attempt after a loss. On abort the write may or may not have happened. */
export async function recordEnd<T extends Movement>(
  ports: RecordEndPorts,
  end: EndOf<T>,
  signal: AbortSignal,
): Promise<void> {
  const policy: RetryPolicy = {
    backoff: recordBackoff,
    mayRetry: (error) => !isNotFound(error),
    onRetry: ({ error, attempt }) =>
      ports.log.warn({ err: error, attempt }, 'the end of the data path could not be recorded; it is tried again'),
  };
  const record = async () => {
    const ending = await afterLoss(ports, end, signal);
    if (ending !== undefined) await writeEnd(ports, { ...end, ending }, signal);
  };
  try {
    await retry(ports, policy, record, signal);
  } catch (error) {
    // The object was deleted meanwhile: there is nothing to write to.
    if (!signal.aborted && !isNotFound(error)) throw error;
  }
}

/** Begins the next attempt when the pod was lost and the data was not. Returns undefined when there is no end to record. */
async function afterLoss<T extends Movement>(
  ports: RecordEndPorts,
  { kind, object, ending }: EndOf<T>,
  signal: AbortSignal,
): Promise<Ending | undefined> {
  if (ending.phase !== 'Failed' || !isInterruption(ending.error)) return ending;
  const { log, tell } = ports;
  const cause = describeError(ending.error);
  const attempt = attemptOf(object);
  const lost = { cause, moverEnded: moverHasEnded(ending.error) };
  const after = await tryAgain(ports, kind, { object, lost }, signal);
  switch (after) {
    case 'begun':
      log.warn({ err: ending.error, attempt }, 'the data path was lost; it is tried again');
      tell(object, movementReasons.attemptLost, cause);
      return undefined;
    case 'over':
      return undefined;
    case 'canceled':
      return { phase: 'Canceled' };
    case 'used-up':
      return ending;
    default:
      return after satisfies never;
  }
}

async function writeEnd<T extends Movement>(ports: RecordEndPorts, end: EndOf<T>, signal: AbortSignal): Promise<void> {
  const { kind, object, ending } = end;
  const status = statusOf(ports, end);
  const written = await endMovement(ports.kube, kind, object, ending.phase, status, signal);
  const message = written.status?.message;
  const fields = { phase: written.status?.phase, ...(message === undefined ? {} : { reason: message }) };
  ports.log.info(fields, 'the data path has ended');
}

function statusOf<T extends Movement>(
  { clock, limits }: RecordEndPorts,
  { kind, object, ending, clearing }: EndOf<T>,
): MovementPatch<T> {
  const completionTimestamp = timestamp(clock.now());
  switch (ending.phase) {
    case 'Completed': {
      const cleared = clearing as MovementPatch<T>;
      return { ...cleared, ...resultStatus(kind, ending.result), completionTimestamp };
    }
    case 'Failed': {
      const attempts = isInterruption(ending.error) ? attemptText(object, limits.attempts) : '';
      const message = `data path ${kind.verb} failed: ${describeError(ending.error)}${attempts}`;
      return { message, completionTimestamp } as MovementPatch<T>;
    }
    case 'Canceled':
      return { message: `the ${kind.words} was canceled`, completionTimestamp } as MovementPatch<T>;
    default:
      return ending satisfies never;
  }
}
