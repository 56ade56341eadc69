import type { Volume } from '../kinds/volume.ts';
import type { VolumeState } from '../kinds/volume-state.ts';
import { type StateMoves, stateIn } from './state-moves.ts';

/** Which `status.state` of a Volume may follow which. An attached volume is never attached elsewhere but through detached. */
export const volumeMoves = {
  creating: ['detached', 'attaching', 'deleting'],
  detached: ['attaching', 'deleting'],
  attaching: ['attached', 'detaching', 'deleting'],
  attached: ['detaching', 'deleting'],
  detaching: ['detached', 'deleting'],
  deleting: [],
} as const satisfies StateMoves<VolumeState>;

/** An absent or empty state reads as creating. @throws PHASE_UNKNOWN */
export function volumeStateOf({ status }: Pick<Volume, 'status'>): VolumeState {
  return stateIn<VolumeState>(volumeMoves, status?.state || 'creating');
}
