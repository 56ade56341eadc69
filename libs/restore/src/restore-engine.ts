import type { RestoreEnginePorts, RestoreEngineRequest, RestoreItemsOutcome } from './engine/contract.ts';

/** The work of a run on the objects of a backup. */
export interface RestoreEngine {
  restoreItems(
    ports: RestoreEnginePorts,
    request: RestoreEngineRequest,
    signal: AbortSignal,
  ): Promise<RestoreItemsOutcome>;
}
