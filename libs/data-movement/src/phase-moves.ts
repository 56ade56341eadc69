import type { DataMovementPhase } from '@lateen/api-types';
import { AppError } from '@lateen/errors';

/** The legal moves of a data movement (data-movement.md section 3). A terminal phase never changes. */
export const moves = {
  New: ['Accepted', 'Canceled', 'Failed'],
  Accepted: ['Prepared', 'Canceled', 'Failed'],
  Prepared: ['InProgress', 'Canceled', 'Failed'],
  InProgress: ['Completed', 'Canceling', 'Canceled', 'Failed'],
  Canceling: ['Canceled', 'Completed', 'Failed'],
  Canceled: [],
  Completed: [],
  Failed: [],
} as const satisfies Record<DataMovementPhase, readonly DataMovementPhase[]>;

/** An absent or empty phase reads as New. */
export function phaseOf(object: { status?: { phase?: DataMovementPhase } }): DataMovementPhase {
  return object.status?.phase || 'New';
}

/** @throws ILLEGAL_MOVE, which is a defect of ours */
export function checkMove(from: DataMovementPhase, to: DataMovementPhase): void {
  if ((moves[from] as readonly DataMovementPhase[]).includes(to)) return;
  throw new AppError('ILLEGAL_MOVE', `a data movement cannot move from ${from} to ${to}`);
}
