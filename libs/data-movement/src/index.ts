export type { Movement } from './movement-kind.ts';
export { type MovementLimits, movementLimits } from './movement-limits.ts';
export {
  hasJustEnded,
  type MovementChange,
  type MovementObserver,
  type MovementReadings,
  type MovementState,
} from './movement-observer.ts';
export { phaseMoves } from './phase-moves.ts';
export { type DataMovementPorts, runDataMovement } from './run-data-movement.ts';
export type { Seen, SeenPod } from './seen.ts';
export type { Step } from './step.ts';
