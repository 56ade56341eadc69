import { type Invariant, phaseIn } from './observed.ts';

/**
 * After Completed the claim has the volume, or the pod has started, and the workload uses it. The movers themselves check that two of them
 * never write the same volume.
 */
export const nobodyWritesWhatIsHandedOver: Invariant = ({ before, now }, { ledger }) => {
  const isRestore = now.kind === 'DataDownload' || now.kind === 'PodVolumeRestore';
  if (!isRestore || phaseIn(now) !== 'Completed' || phaseIn(before) === 'Completed') return undefined;
  return ledger.writerOf(now.metadata.uid ?? '')
    ? `${now.metadata.name} is completed, and a mover writes on`
    : undefined;
};
