import { isTerminalPhase } from '@lateen/api-types';
import type { Seen } from '../gather/seen.ts';
import { phaseOf } from '../status/phase-moves.ts';
import type { Step } from './step.ts';

/** What a process may hold of a movement, and gives back when the movement has gone on without it. */
export type Release =
  /** The exposure of an earlier attempt: another one is under way, perhaps on another node. */
  | 'earlier-attempt'
  /** Everything of an earlier object of the same name: it is gone, and nobody else may know what was made for it. */
  | 'another-object'
  /** What a late exposure has made; nobody else knows that there is something to take away again. */
  | 'late-exposure'
  /** What is remembered of it: it has been concluded, here or elsewhere, and what comes under its name is somebody else's. */
  | 'memory'
  /** The exposure of this attempt, which goes on although the movement has: it ends, and is remembered until the conclusion. */
  | 'running-exposure'
  /** The exposure of this attempt. */
  | 'exposure'
  /** What follows its data path: it shall be canceled, so that is not done any more, or undone. */
  | 'finishing'
  /** Since when it has stood in a line. */
  | 'line-note'
  /** Room to be prepared that was kept for it while it was new. */
  | 'room'
  /** Its place among the exposures, or the one that was kept for it. */
  | 'exposure-place'
  /** Its slot for a data path, or the one that was handed over to it: the next in line gets it. */
  | 'slot';

type Due = (seen: Seen, step: Step) => boolean;

/**
 * When each is due, in the order in which they are given back; all of them before the step. What is of an earlier object goes
 * first, since the step may need its names.
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
 * The exposure went on when the data path of another node-agent's exposure had begun: this process was cut off, or slow. What
 * it made then may come after the clean-up.
 */
function isLate({ object: { status }, exposure, exposedForMs, nowMs }: Seen): boolean {
  if (exposure !== 'done') return exposure === 'running';
  return nowMs - (exposedForMs ?? 0) > Date.parse(status?.startTimestamp ?? status?.completionTimestamp ?? '');
}

const needsSlot = (step: Step): boolean => ['mark-prepared', 'start'].includes(step.do);

/** What this process gives back before it does the step. Pure. */
export function releasesBefore(step: Step, seen: Seen): Release[] {
  return due.filter(([, isDue]) => isDue(seen, step)).map(([release]) => release);
}
