import { type Invariant, ownerIn, phaseIn } from './observed.ts';

const isRunning = (phase: string): boolean => phase === 'InProgress' || phase === 'Canceling';

/**
 * An agent that starts a data path must have counted all running ones of its node, including those that it found after a restart. A request
 * that is carried out after its process has died is not a violation.
 */
export const slotsAreNotExceeded: Invariant = ({ before, now, writer }, { slots, ledger, movements }) => {
  if (phaseIn(now) !== 'InProgress' || phaseIn(before) === 'InProgress' || writer?.alive === false) return undefined;
  const node = ownerIn(now);
  const others = movements().filter(
    (each) =>
      each.metadata.uid !== now.metadata.uid &&
      ownerIn(each) === node &&
      isRunning(phaseIn(each)) &&
      ledger.runningOf(each.metadata.uid ?? '').some(({ hasPod }) => hasPod),
  );
  if (others.length < slots) return undefined;
  const names = others.map((each) => each.metadata.name).join(', ');
  return `${now.metadata.name} begins on ${node}, where ${names} run already and there are ${slots} slots`;
};
