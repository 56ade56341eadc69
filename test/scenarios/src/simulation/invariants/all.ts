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
import { nobodyWritesWhatIsHandedOver } from './writers.ts';

/** Rules that must hold at each change of a movement. The movers themselves check that a volume has only one writer. */
export const invariants: Readonly<Record<string, Invariant>> = {
  terminalPhasesStay,
  phasesMoveLegally,
  attemptsAreCounted,
  endsAreExplained,
  progressGrows,
  slotsAreNotExceeded,
  onlyTheOwnerWrites,
  nobodyWritesWhatIsHandedOver,
};
