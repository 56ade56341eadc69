import type { InstanceState } from '../instance/instance-state.ts';
import type { InstanceStatus } from '../instance/instance-status.ts';
import { type StateMoves, stateIn } from './state-moves.ts';

/** Which `status.currentState` of an Engine or Replica may follow which. The last two states are of v2, which is refused. */
export const instanceMoves = {
  stopped: ['starting', 'error'],
  starting: ['running', 'error', 'stopping', 'unknown'],
  running: ['stopping', 'error', 'unknown'],
  stopping: ['stopped', 'error', 'unknown'],
  error: ['stopping', 'stopped'],
  unknown: ['running', 'error', 'stopped'],
  suspended: [],
  terminated: [],
} as const satisfies StateMoves<InstanceState>;

/** An absent or empty state reads as stopped. @throws PHASE_UNKNOWN */
export function instanceStateOf({ status }: { status?: InstanceStatus }): InstanceState {
  return stateIn<InstanceState>(instanceMoves, status?.currentState || 'stopped');
}
