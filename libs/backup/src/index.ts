export type { EngineContext, ItemProgress, ItemsOutcome, RunningBackup } from './engine/contract.ts';
