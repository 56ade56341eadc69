export type { RestoreLimit, RestoreReport } from '@lateen/datapath';
export { type DirectBudget, type DirectBudgetInput, directBudget } from './direct-budget.ts';
export { type LimitFigures, limitOf, limitThresholds } from './limit-of.ts';
export {
  type DirectRestore,
  type DirectRestoreOptions,
  openDirectRestore,
  type TreeRequest,
} from './open-direct-restore.ts';
export type { RestoredSnapshot } from './restore-snapshot.ts';
