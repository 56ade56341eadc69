export { decideMovement, type Seen, type Step } from './decide-movement.ts';
export type { Movement } from './movement-kind.ts';
export { type MovementLimits, movementLimits } from './movement-limits.ts';
export {
  countPhases,
  hasJustEnded,
  type MovementChange,
  type MovementObserver,
  type MovementReadings,
  type MovementState,
  tellObserver,
} from './movement-observer.ts';
export { mayMove, phaseMoves, phaseOf } from './phase-moves.ts';
export { type DataMovementPorts, runDataMovement } from './run-data-movement.ts';
