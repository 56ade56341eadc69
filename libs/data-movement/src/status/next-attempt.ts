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
  /** The node that prepares the next attempt: this one. */
  node: string;
  limits: Pick<MovementLimits, 'attempts' | 'attemptBackoff' | 'nextWriterAfterMs'>;
}

/** How an attempt was lost. */
export interface LostAttempt {
  cause: string;
  /** Somebody who knows has said that its mover has ended: kubelet, or the mover itself. */
  moverEnded: boolean;
}

/** True when a movement whose hosting pod was lost is tried again. Nobody repeats what shall be canceled or deleted. */
export function mayTryAgain(object: Movement, limits: Pick<MovementLimits, 'attempts'>): boolean {
  return (
    attemptOf(object) < limits.attempts &&
    object.spec.cancel !== true &&
    object.metadata.deletionTimestamp === undefined
  );
}

/**
 * Back to Accepted, to be exposed once more after a while; guarded by resourceVersion. What the last attempt stored stays
 * in the repository, so the next one moves only the rest. The lost pod is taken away by the next exposure, which knows it by its
 * attempt. Where the lost mover may still write the volume, the while is longer than it goes on by itself.
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
      // Null takes a field away: nothing of this is true of the next attempt.
      startTimestamp: null,
      progress: null,
      throughput: null,
      message: attemptLostNote(attempt, limits.attempts, cause),
    },
  };
  return await kube.patch(kind.type, keyOf(object), { type: 'merge', body }, { signal });
}

/** A mover touches nothing before it has seen InProgress of its own attempt. */
const mayHaveBegun = (object: Movement): boolean => ['InProgress', 'Canceling'].includes(phaseOf(object));

const writerText = (waitMs: number): string =>
  `nobody has seen its mover end, so the next one begins ${durationText(Math.ceil(waitMs / 1000) * 1000)} later, when it has stopped by itself`;

/** What became of a lost attempt: `over` when somebody else, or an earlier call whose answer was lost, has dealt with it. */
export type AfterLoss = 'begun' | 'over' | 'canceled' | 'used-up';

/**
 * {@link beginNextAttempt} for a writer that must not lose: looks at the movement as it is now, and again after a conflict.
 * @param lost what became of the attempt that `object` was in
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
