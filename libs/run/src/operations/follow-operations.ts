import { parseDurationMs } from '@lateen/kernel';
import { apiTime } from '@lateen/kube';
import { again, type Outcome } from '@lateen/kube-runtime';
import type { PhaseOf, RunPatch } from '../run-kind.ts';
import type { RunObject } from '../run-object.ts';
import { askProgress, askToEnd } from './ask-progress.ts';
import { decideOperations } from './decide-operations.ts';
import type { Follower, OperationFollowers } from './operation-followers.ts';
import {
  isOpenOperation,
  type OperationFiles,
  type OperationsKind,
  type OperationsPorts,
  type RunOperation,
} from './operations-kind.ts';
import { isWaitingForOperations, writeOperations } from './write-operations.ts';

/**
 * Pause between two looks without a wake-up (backup-and-restore.md section 10); operations that are asked at the same time;
 * itemOperationTimeout.
 */
export const operationLimits = { lookMs: 10_000, askedAtOnce: 16, timeoutMs: 14_400_000 } as const;

/** One look at the operations of a run; when all have ended, the run moves to its finalizing phase. */
export async function followOperations<R extends RunObject, O extends RunOperation, C, F extends OperationFiles<O>>(
  kind: OperationsKind<R, O, C, F>,
  ports: OperationsPorts<R>,
  followers: OperationFollowers<R, O>,
  run: R,
  signal: AbortSignal,
): Promise<Outcome | 'next'> {
  const location = await kind.locationOf(run, signal);
  if ('gone' in location) return await endWithoutLocation(kind, ports, run, location.gone, signal);
  const inStore = <T>(use: (files: F) => Promise<T>) => kind.inStore(location.usable, use, signal);
  const { uid = '', name = '' } = run.metadata;
  const follower =
    followers.get(uid) ??
    followers.begin(run, await inStore((files) => files.getItemOperations(name, { signal })), signal);
  await askUnwatched(kind, follower, run, signal);
  const decision = decideOperations({
    operations: follower.operations,
    progress: follower.progress,
    ageMs: (operation) => ageMs(kind, follower, operation),
    timeoutMs: (operation) => timeoutMs(kind, run, operation),
    now: apiTime(kind.clock.now()),
  });
  for (const operation of decision.timedOut) await askToEnd(kind, run, operation, signal);
  const after = await writeOperations(kind, ports, { run, decision, inStore }, signal);
  // Only stored changes count as known: after a failed look, the next one finds the same changes again.
  follower.operations = decision.operations;
  return isWaitingForOperations(kind.writes.kind, after)
    ? again(operationLimits.lookMs, 'operations are under way')
    : 'next';
}

function timeoutMs<R extends RunObject, O extends RunOperation, C, F extends OperationFiles<O>>(
  kind: OperationsKind<R, O, C, F>,
  run: R,
  operation: O,
): number {
  const action = kind.actions.find(({ name }) => name === kind.actionOf(operation));
  const own = action?.operationTimeoutMs?.(kind.contextOf(run));
  return own ?? (parseDurationMs(run.spec.itemOperationTimeout ?? '') || operationLimits.timeoutMs);
}

/** In this process by the monotonic clock; before that by the operation's own time, and never negative. */
function ageMs<O extends RunOperation>(
  { clock }: { clock: { monotonicMs(): number } },
  { sinceMs, sinceDayMs }: Follower<O>,
  { status }: O,
): number {
  const createdMs = Date.parse(status.created ?? '');
  const beforeMs = Number.isNaN(createdMs) ? 0 : Math.max(sinceDayMs - createdMs, 0);
  return beforeMs + clock.monotonicMs() - sinceMs;
}

async function askUnwatched<R extends RunObject, O extends RunOperation, C, F extends OperationFiles<O>>(
  kind: OperationsKind<R, O, C, F>,
  follower: Follower<O>,
  run: R,
  signal: AbortSignal,
): Promise<void> {
  const nowMs = kind.clock.monotonicMs();
  const unwatched = follower.operations.filter(
    (operation) => isOpenOperation(operation.status.phase) && follower.mayAsk(operation, nowMs),
  );
  for (let at = 0; at < unwatched.length; at += operationLimits.askedAtOnce) {
    const some = unwatched.slice(at, at + operationLimits.askedAtOnce);
    await Promise.all(
      some.map(async (operation) => {
        const said = await askProgress(kind, run, operation, signal);
        if (said !== undefined) follower.asked(operation.spec.operationID, said);
      }),
    );
  }
}

/** The same as in Velero: without the location, the results of operations cannot be stored. */
async function endWithoutLocation<R extends RunObject, O extends RunOperation, C, F extends OperationFiles<O>>(
  { writes, clock }: OperationsKind<R, O, C, F>,
  ports: OperationsPorts<R>,
  run: R,
  why: string,
  signal: AbortSignal,
): Promise<'next'> {
  const end = async (now: R) => {
    if (!isWaitingForOperations(writes.kind, now)) return now;
    const status = { failureReason: why, completionTimestamp: apiTime(clock.now()) };
    return await writes.move(ports, now, 'PartiallyFailed' as PhaseOf<R>, { status } as RunPatch<R>, signal);
  };
  await writes.onLatest(ports, run, end, signal);
  return 'next';
}
