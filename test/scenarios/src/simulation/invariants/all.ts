import type { Invariant } from './observed.ts';
import { onlyTheOwnerWrites } from './ownership.ts';
import {
  attemptsAreCounted,
  endsAreExplained,
  phasesMoveLegally,
  progressGrows,
  terminalPhasesStay,
} from './phases.ts';
import { slotsAreNotExceeded } from './slots.ts';

/** What must hold at each change of a movement. That one volume has one mover is watched by the movers themselves. */
export const invariants: Readonly<Record<string, Invariant>> = {
  terminalPhasesStay,
  phasesMoveLegally,
  attemptsAreCounted,
  endsAreExplained,
  progressGrows,
  slotsAreNotExceeded,
  onlyTheOwnerWrites,
};
