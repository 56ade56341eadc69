export {
  createRestore,
  newRestore,
  type RestoreSource,
  restoreName,
  sourceOf,
} from './create-restore.ts';
export { deleteRestore, untilRestoreGone } from './delete-restore.ts';
export { followRestore, waitsFor } from './follow-restore.ts';
export {
  causesOfRestore,
  type InspectedRestore,
  type InspectRestoreOptions,
  inspectRestore,
  type RestoreOutcomes,
} from './inspect-restore.ts';
export { planRestore, type RestorePlan } from './plan-restore.ts';
export { restoreHasEnded, restoreNoun, restorePhaseOf } from './restore-noun.ts';
export { type RollBackStep, rollBackRestore } from './roll-back-restore.ts';
export { annotationsOfWishes, type VolumeWishes, wishesOf } from './volume-wishes.ts';
