export { type ReadCatalogOptions, readCatalog } from './catalog/read-catalog.ts';
export type {
  Catalog,
  CatalogItem,
  RestoreEngineContext,
  RestoreEngineLimits,
  RestoreEnginePorts,
  RestoreEngineRequest,
  RestoreItemProgress,
  RestoreItemsOutcome,
  RunningRestore,
} from './engine/contract.ts';
export { restoreItems } from './engine/restore-items.ts';
export { listedPriorities, parsePriorities, prioritiesDefault } from './order/priorities.ts';
export type { RestoreEngine } from './restore-engine.ts';
export type { RestoreObserver } from './restore-observer.ts';
export { type RestoreSettings, restoreSettingsDefault } from './restore-settings.ts';
export { type RestoreControllersOptions, runRestoreControllers } from './run-restore-controllers.ts';
export { finalizeVolumes } from './volumes/finalize/finalize-volumes.ts';
export { takeVolumesBack } from './volumes/finalize/take-volumes-back.ts';
export type { VolumeProblem, VolumesToFinalize } from './volumes/finalize/volumes-to-finalize.ts';
export { RestoreVolumes, type RestoreVolumesOptions } from './volumes/restore-volumes.ts';
