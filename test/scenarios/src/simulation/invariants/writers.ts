import { type Invariant, phaseIn } from './observed.ts';

/** Its claim has the volume by then, and somebody uses it. That two movers never write one is watched by the movers themselves. */
export const nobodyWritesWhatIsHandedOver: Invariant = ({ before, now }, { ledger }) => {
  if (now.kind !== 'DataDownload' || phaseIn(now) !== 'Completed' || phaseIn(before) === 'Completed') return undefined;
  return ledger.writerOf(now.metadata.uid ?? '')
    ? `${now.metadata.name} is completed, and a mover writes on`
    : undefined;
};
