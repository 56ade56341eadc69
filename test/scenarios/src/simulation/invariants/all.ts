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

/** What must hold at each change of a movement. That a volume has one writer is watched by the movers themselves. */
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
