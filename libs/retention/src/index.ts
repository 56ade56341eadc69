export type { DeletionObserver } from './deletion/deletion-observer.ts';
export {
  garbageCollectionFrequencyDefaultMs,
  type RetentionControllersOptions,
  runRetentionControllers,
} from './run-retention-controllers.ts';
