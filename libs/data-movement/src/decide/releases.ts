import { isTerminalPhase } from '@lateen/api-types';
import type { Seen } from '../gather/seen.ts';
import { phaseOf } from '../status/phase-moves.ts';
import type { Step } from './step.ts';

/** What a process may hold of a movement, and releases when another process has continued the movement. */
export type Release =
  /** The exposure of an earlier attempt: another attempt is under way, perhaps on another node. */
  | 'earlier-attempt'
  /**
   * Everything of an earlier object of the same name. That object is gone, and no other process may know what was made for it.
   */
  | 'another-object'
  /** What a late exposure has created; no other process knows that this has to be cleaned up. */
  | 'late-exposure'
  /**
   * The in-memory record of the movement: it has been concluded, here or elsewhere, and an object of the same name is another
   * movement.
   */
  | 'memory'
  /**
   * The exposure of this attempt, which still runs although the movement has moved on: it is stopped, and remembered until the
   * conclusion.
   */
  | 'running-exposure'
  /** The exposure of this attempt. */
  | 'exposure'
  /** The step after its data path: the movement is to be canceled, so the step is skipped or undone. */
  | 'finishing'
  /** The time since which it has waited in a queue. */
  | 'line-note'
  /** The slot for preparation that was kept for it while it was new. */
  | 'room'
  /** Its place among the running exposures, or the one that was kept for it. */
  | 'exposure-place'
  /** Its slot for a data path, or the one that was kept for it: the next movement in the queue gets it. */
  | 'slot';

type Due = (seen: Seen, step: Step) => boolean;

/**
 * The condition of each release, in the order in which they are done; all of them before the step. What belongs to an earlier
 * object comes first, since the step may need its names.
 */
const due: readonly (readonly [Release, Due])[] = [
  ['earlier-attempt', ({ worked }) => worked === 'earlier-attempt'],
  ['another-object', ({ worked }) => worked === 'another-object'],
  ['late-exposure', (seen) => isConcluded(seen) && seen.exposure !== 'none'],
  ['memory', (seen) => isConcluded(seen)],
  ['running-exposure', (seen) => isExposed(seen) && isLate(seen) && !isConcluded(seen)],
  ['exposure', (seen) => isExposed(seen) && (!isLate(seen) || isConcluded(seen))],
  ['finishing', ({ object, active }) => active && object.spec.cancel === true],
  ['line-note', ({ object }) => !['New', 'Prepared'].includes(phaseOf(object))],
  ['room', ({ object }, step) => phaseOf(object) === 'New' && step.do !== 'accept'],
  ['exposure-place', (_, step) => !['accept', 'expose'].includes(step.do)],
  ['slot', (seen, step) => !needsSlot(step) && !seen.active && !seen.runsHere],
];

const isConcluded = ({ object, held }: Seen): boolean => isTerminalPhase(object.status?.phase) && !held;
const isExposed = ({ object }: Seen): boolean => !['New', 'Accepted'].includes(phaseOf(object));

/**
 * The exposure was still running when the data path of another node-agent's exposure had started: this process was cut off from
 * the API server, or slow. What the exposure created then may be later than the clean-up.
 */
function isLate({ object: { status }, exposure, exposedForMs, nowMs }: Seen): boolean {
  if (exposure !== 'done') return exposure === 'running';
  return nowMs - (exposedForMs ?? 0) > Date.parse(status?.startTimestamp ?? status?.completionTimestamp ?? '');
}

const needsSlot = (step: Step): boolean => ['mark-prepared', 'start'].includes(step.do);

/** The releases of this process before it does the step. Pure. */
export function releasesBefore(step: Step, seen: Seen): Release[] {
  return due.filter(([, isDue]) => isDue(seen, step)).map(([release]) => release);
}
