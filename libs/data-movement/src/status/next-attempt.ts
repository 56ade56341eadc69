import { annotations, attemptOf, isTerminalPhase, labels } from '@lateen/api-types';
import { backoffMs, type Clock, durationText, type Random } from '@lateen/kernel';
import { type KubeApi, keyOf, retryOnConflict } from '@lateen/kube';
import { type Movement, type MovementKind, withSpec } from '../kinds/movement-kind.ts';
import type { MovementLimits } from '../movement-limits.ts';
import { isAnother } from './attempt.ts';
import { phaseOf } from './phase-moves.ts';
import { attemptLostNote } from './status-notes.ts';
import { timestamp } from './write-movement.ts';

export interface NextAttemptPorts {
  kube: KubeApi;
  clock: Clock;
  random: Random;
  /** This node, which prepares the next attempt. */
  node: string;
  limits: Pick<MovementLimits, 'attempts' | 'attemptBackoff' | 'nextWriterAfterMs'>;
}

/** How an attempt was lost. */
export interface LostAttempt {
  cause: string;
  /** The kubelet, or the mover itself, has confirmed that the mover has ended. */
  moverEnded: boolean;
}

/** True when a movement whose hosting pod was lost is tried again. Canceled or deleted movements are not repeated. */
export function mayTryAgain(object: Movement, limits: Pick<MovementLimits, 'attempts'>): boolean {
  return (
    attemptOf(object) < limits.attempts &&
    object.spec.cancel !== true &&
    object.metadata.deletionTimestamp === undefined
  );
}

/**
 * Moves the object back to Accepted, for another exposure after a pause; guarded by resourceVersion. What the last attempt stored
 * stays in the repository, so the next one moves only the rest. The next exposure deletes the lost pod, which it recognises by
 * its attempt. When the lost mover may still write the volume, the pause is longer than that mover keeps running.
 * @throws KUBE_CONFLICT
 */
export async function beginNextAttempt<T extends Movement>(
  { kube, clock, random, node, limits }: NextAttemptPorts,
  kind: MovementKind<T>,
  object: T,
  lost: LostAttempt,
  signal: AbortSignal,
): Promise<T> {
  const attempt = attemptOf(object);
  const nowMs = clock.now();
  const mayWrite = kind.writesVolume && mayHaveBegun(object) && !lost.moverEnded;
  const waitMs = Math.max(backoffMs(attempt, limits.attemptBackoff, random), mayWrite ? limits.nextWriterAfterMs : 0);
  const cause = mayWrite ? `${lost.cause}; ${writerText(waitMs)}` : lost.cause;
  const body = {
    metadata: {
      resourceVersion: object.metadata.resourceVersion,
      labels: { [labels.exposeOnGoing]: 'true' },
      annotations: {
        [annotations.attempts]: String(attempt + 1),
        [annotations.nextAttemptAt]: timestamp(nowMs + waitMs),
      },
    },
    status: {
      phase: 'Accepted',
      ...kind.owner.accepted(node),
      acceptedTimestamp: timestamp(nowMs),
      // Null removes a field: these values do not apply to the next attempt.
      startTimestamp: null,
      progress: null,
      throughput: null,
      message: attemptLostNote(attempt, limits.attempts, cause),
    },
  };
  return await kube.patch(kind.type, keyOf(object), { type: 'merge', body }, { signal });
}

/** A mover touches nothing before it has seen InProgress for its own attempt. */
const mayHaveBegun = (object: Movement): boolean => ['InProgress', 'Canceling'].includes(phaseOf(object));

const writerText = (waitMs: number): string =>
  `the end of its mover was not observed, so the next one starts ${durationText(Math.ceil(waitMs / 1000) * 1000)} later, when it has stopped by itself`;

/** The result for a lost attempt: `over` when another process, or an earlier call whose answer was lost, has handled it. */
export type AfterLoss = 'begun' | 'over' | 'canceled' | 'used-up';

/**
 * {@link beginNextAttempt} for a writer that must not lose a race: reads the movement first, and again after a conflict.
 * @param lost the result for the attempt that `object` was in
 * @throws KUBE_NOT_FOUND, KUBE_CONFLICT after many in a row
 */
export async function tryAgain<T extends Movement>(
  ports: NextAttemptPorts,
  kind: MovementKind<T>,
  { object, lost }: { object: NoInfer<T>; lost: LostAttempt },
  signal: AbortSignal,
): Promise<AfterLoss> {
  return await retryOnConflict(async () => {
    const latest = withSpec(await ports.kube.get(kind.type, keyOf(object), { signal }));
    if (isTerminalPhase(phaseOf(latest)) || isAnother(latest, object)) return 'over';
    if (latest.spec.cancel === true || latest.metadata.deletionTimestamp !== undefined) return 'canceled';
    if (!mayTryAgain(latest, ports.limits)) return 'used-up';
    await beginNextAttempt(ports, kind, latest, lost, signal);
    return 'begun';
  });
}
