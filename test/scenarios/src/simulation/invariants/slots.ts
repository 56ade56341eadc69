import { type Invariant, ownerIn, phaseIn } from './observed.ts';

const isRunning = (phase: string): boolean => phase === 'InProgress' || phase === 'Canceling';

/**
 * Whoever begins a data path has counted all those of its node that move, also those that it has found running after a
 * restart. A request that has outlived its process cannot be held against anybody.
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
