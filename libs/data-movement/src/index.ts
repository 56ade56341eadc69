export type { DataMovementPorts } from './data-movement-ports.ts';
export type { Step } from './decide/step.ts';
export type { Seen, SeenPod } from './gather/seen.ts';
export type { Movement } from './kinds/movement-kind.ts';
export type { PodVolumePorts } from './kinds/pod-volume-kind.ts';
export { type MovementLimits, movementLimits } from './movement-limits.ts';
export { runDataMovement } from './run-data-movement.ts';
export {
  hasJustEnded,
  type MovementChange,
  type MovementObserver,
  type MovementReadings,
  type MovementState,
} from './status/movement-observer.ts';
export { phaseMoves } from './status/phase-moves.ts';
