import type { RestoreEnginePorts, RestoreEngineRequest, RestoreItemsOutcome } from './engine/contract.ts';

/** What a run does with the objects of a backup. */
export interface RestoreEngine {
  restoreItems(
    ports: RestoreEnginePorts,
    request: RestoreEngineRequest,
    signal: AbortSignal,
  ): Promise<RestoreItemsOutcome>;
}
