export type {
  EngineContext,
  EnginePorts,
  EngineStore,
  ItemProgress,
  ItemsOutcome,
  RunningBackup,
} from './engine/contract.ts';
export { type EngineLimits, engineLimitsDefault } from './engine/engine-limits.ts';
