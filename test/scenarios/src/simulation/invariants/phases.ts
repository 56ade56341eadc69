import { attemptsIn, type Invariant, phaseIn } from './observed.ts';

/** Written a second time on purpose, so that the product is not checked against its own table. */
const moves: Readonly<Record<string, readonly string[]>> = {
  New: ['Accepted', 'Canceled', 'Failed'],
  Accepted: ['Prepared', 'Canceled', 'Failed'],
  Prepared: ['InProgress', 'Accepted', 'Canceled', 'Failed'],
  InProgress: ['Canceling', 'Completed', 'Accepted', 'Canceled', 'Failed'],
  Canceling: ['Canceled', 'Completed', 'Failed'],
  Completed: [],
  Canceled: [],
  Failed: [],
};

const isTerminal = (phase: string): boolean => moves[phase]?.length === 0;

export const terminalPhasesStay: Invariant = ({ before, now }) => {
  if (before === undefined || !isTerminal(phaseIn(before)) || phaseIn(now) === phaseIn(before)) return undefined;
  return `${now.metadata.name} was ${phaseIn(before)} and became ${phaseIn(now)}`;
};

export const phasesMoveLegally: Invariant = ({ before, now }) => {
  const [from, to] = [phaseIn(before), phaseIn(now)];
  if (before === undefined || from === to || isTerminal(from) || moves[from]?.includes(to)) return undefined;
  return `${now.metadata.name} moved from ${from} to ${to}`;
};

/** Going back to Accepted is a new attempt; attempts are counted one by one, and limited. */
export const attemptsAreCounted: Invariant = ({ before, now }, { attempts }) => {
  if (before === undefined) return undefined;
  const [old, present] = [attemptsIn(before), attemptsIn(now)];
  const anew = phaseIn(now) === 'Accepted' && ['Prepared', 'InProgress'].includes(phaseIn(before));
  const name = now.metadata.name;
  if (anew && present !== old + 1) return `${name} began anew, with attempt ${present} after ${old}`;
  if (present < old) return `the attempts of ${name} went from ${old} to ${present}`;
  if (present > old + 1) return `the attempts of ${name} jumped from ${old} to ${present}`;
  return present > attempts ? `${name} is at attempt ${present} of ${attempts}` : undefined;
};

export const endsAreExplained: Invariant = ({ before, now }) => {
  const phase = phaseIn(now);
  if (!isTerminal(phase) || phaseIn(before) === phase) return undefined;
  if (now.status?.completionTimestamp == null)
    return `${now.metadata.name} became ${phase} without completionTimestamp`;
  return phase !== 'Completed' && !now.status?.message
    ? `${now.metadata.name} became ${phase} and does not say why`
    : undefined;
};

export const progressGrows: Invariant = ({ before, now }) => {
  if (before === undefined || phaseIn(before) !== phaseIn(now) || attemptsIn(before) !== attemptsIn(now))
    return undefined;
  const [old, present] = [before.status?.progress?.bytesDone ?? 0, now.status?.progress?.bytesDone ?? 0];
  return present < old ? `the progress of ${now.metadata.name} went back from ${old} to ${present}` : undefined;
};
