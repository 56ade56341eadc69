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
export { RestoreVolumes, type RestoreVolumesOptions } from './volumes/restore-volumes.ts';
