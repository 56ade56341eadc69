import type { Seen } from '../gather/seen.ts';
import { decideMovement } from './decide-movement.ts';
import { type Release, releasesBefore } from './releases.ts';
import type { Step } from './step.ts';

/** Everything that follows from one look at a movement: first the releases, in their order, then the step. */
export interface Decision {
  step: Step;
  releases: readonly Release[];
}

export function decide(seen: Seen): Decision {
  const step = decideMovement(seen);
  return { step, releases: releasesBefore(step, seen) };
}
