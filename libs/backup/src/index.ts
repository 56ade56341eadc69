export { backUpItems } from './engine/back-up-items.ts';
export type {
  EngineContext,
  EnginePorts,
  EngineRequest,
  EngineStore,
  ItemProgress,
  ItemsOutcome,
  RunningBackup,
} from './engine/contract.ts';
export { type EngineLimits, engineLimitsDefault } from './engine/engine-limits.ts';
export type { EngineActions } from './engine/items/item-type.ts';
