import { type DataMovementPhase, dataMovementPhases } from '@lateen/api-types';
import { AppError } from '@lateen/errors';

/**
 * The allowed next phases of each phase (data-movement.md section 3). A terminal phase never changes. Only a new attempt, after
 * the hosting pod was lost, moves back to Accepted (ADR 0012).
 */
export const phaseMoves = {
  New: ['Accepted', 'Canceled', 'Failed'],
  Accepted: ['Prepared', 'Canceled', 'Failed'],
  Prepared: ['InProgress', 'Accepted', 'Canceled', 'Failed'],
  InProgress: ['Canceling', 'Accepted', 'Completed', 'Canceled', 'Failed'],
  Canceling: ['Canceled', 'Completed', 'Failed'],
  Completed: [],
  Canceled: [],
  Failed: [],
} as const satisfies Record<DataMovementPhase, readonly DataMovementPhase[]>;

export function mayMove(from: DataMovementPhase, to: DataMovementPhase): boolean {
  return (phaseMoves[from] as readonly DataMovementPhase[]).includes(to);
}

/** An absent or empty phase reads as New. @throws PHASE_UNKNOWN for a phase of a later version */
export function phaseOf(object: { status?: { phase?: string } }): DataMovementPhase {
  const phase = object.status?.phase ?? '';
  if (phase === '') return 'New';
  const known = dataMovementPhases.find((each) => each === phase);
  if (known === undefined) throw new AppError('PHASE_UNKNOWN', `the phase "${phase}" is not known to this version`);
  return known;
}
