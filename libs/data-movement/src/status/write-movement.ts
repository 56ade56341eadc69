import { type DataMovementPhase, isTerminalPhase, labels, type TerminalPhase } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, keyOf, retryOnConflict } from '@lateen/kube';
import { type Movement, type MovementKind, type MovementPatch, withSpec } from '../kinds/movement-kind.ts';
import { isAnother } from './attempt.ts';
import { mayMove, phaseOf } from './phase-moves.ts';

/** RFC 3339 in seconds, as metav1.Time is written. */
export function timestamp(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}

/**
 * Moves an object to another phase, guarded by its resourceVersion: one of several writers wins, the others get
 * KUBE_CONFLICT. Status is an ordinary field here: the status sub-resource is not enabled (api.md section 1).
 * @param marks annotations to set
 * @throws PHASE_MOVE_ILLEGAL when the phase it has does not allow it; KUBE_CONFLICT
 */
export async function moveTo<T extends Movement>(
  kube: KubeApi,
  kind: MovementKind<T>,
  object: T,
  to: DataMovementPhase,
  status: NoInfer<MovementPatch<T>>,
  signal: AbortSignal,
  marks?: Readonly<Record<string, string>>,
): Promise<T> {
  const from = phaseOf(object);
  if (!mayMove(from, to))
    throw new AppError(
      'PHASE_MOVE_ILLEGAL',
      `${kind.type.kind} ${object.metadata.name} is ${from} and cannot become ${to}`,
    );
  const exposing = to === 'Accepted' || to === 'Prepared';
  const metadata = {
    resourceVersion: object.metadata.resourceVersion,
    labels: { [labels.exposeOnGoing]: exposing ? 'true' : null },
    ...(marks === undefined ? {} : { annotations: marks }),
    // This applies also to a movement that ends before it started: its snapshot was made for it, and is deleted as after any end.
    ...(from === 'New' && mayHold(kind, object) ? { finalizers: [...finalizersOf(object), kind.finalizer] } : {}),
  };
  const body = { metadata, status: { ...status, phase: to } };
  return withSpec(await kube.patch(kind.type, keyOf(object), { type: 'merge', body }, { signal }));
}

/**
 * {@link moveTo} for a writer that must not lose a race: reads the object first, and again after a conflict. Does not change an
 * object that has ended meanwhile, or is in another attempt than the one that ends here.
 * @throws KUBE_NOT_FOUND, KUBE_CONFLICT after ten in a row
 */
export async function endMovement<T extends Movement>(
  kube: KubeApi,
  kind: MovementKind<T>,
  object: NoInfer<T>,
  to: TerminalPhase,
  status: NoInfer<MovementPatch<T>>,
  signal: AbortSignal,
): Promise<T> {
  return await retryOnConflict(async () => {
    const latest = await kube.get(kind.type, keyOf(object), { signal });
    if (isAnother(latest, object) || isTerminalPhase(phaseOf(latest))) return latest;
    return await moveTo(kube, kind, latest, to, status, signal);
  });
}

const finalizersOf = ({ metadata }: Movement): string[] => metadata.finalizers ?? [];

/** The finalizer keeps the object until everything that was made for it has been cleaned up. */
export const isHeld = <T extends Movement>({ finalizer }: Pick<MovementKind<T>, 'finalizer'>, object: T): boolean =>
  finalizersOf(object).includes(finalizer);

/** The API server refuses new finalizers on an object that is being deleted. */
const mayHold = <T extends Movement>(kind: MovementKind<T>, object: T): boolean =>
  !isHeld(kind, object) && object.metadata.deletionTimestamp === undefined;

/** Adds our finalizer, guarded by resourceVersion; makes no call when it is there, or may not be added. @throws KUBE_CONFLICT */
export async function hold<T extends Movement>(
  kube: KubeApi,
  kind: MovementKind<T>,
  object: T,
  signal: AbortSignal,
): Promise<T> {
  if (!mayHold(kind, object)) return object;
  return await writeFinalizers(kube, kind, object, [...finalizersOf(object), kind.finalizer], signal);
}

/** Removes our finalizer and no other. @throws KUBE_CONFLICT */
export async function removeFinalizer<T extends Movement>(
  kube: KubeApi,
  kind: MovementKind<T>,
  object: T,
  signal: AbortSignal,
): Promise<void> {
  const kept = finalizersOf(object).filter((name) => name !== kind.finalizer);
  await writeFinalizers(kube, kind, object, kept, signal);
}

async function writeFinalizers<T extends Movement>(
  kube: KubeApi,
  kind: MovementKind<T>,
  object: T,
  names: readonly string[],
  signal: AbortSignal,
): Promise<T> {
  const body = { metadata: { resourceVersion: object.metadata.resourceVersion, finalizers: names } };
  return withSpec(await kube.patch(kind.type, keyOf(object), { type: 'merge', body }, { signal }));
}
