import { type Invariant, phaseIn } from './observed.ts';

/** Its claim has the volume by then, or its pod goes on, and somebody uses it. That two movers never write one is watched by the movers themselves. */
export const nobodyWritesWhatIsHandedOver: Invariant = ({ before, now }, { ledger }) => {
  const isRestore = now.kind === 'DataDownload' || now.kind === 'PodVolumeRestore';
  if (!isRestore || phaseIn(now) !== 'Completed' || phaseIn(before) === 'Completed') return undefined;
  return ledger.writerOf(now.metadata.uid ?? '')
    ? `${now.metadata.name} is completed, and a mover writes on`
    : undefined;
};
