import { dataDownloadType, isTerminalPhase, type Pod } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import { listAll } from '@lateen/kube';
import type { RestoreOperationContext } from '../../contract/restore-item-action.ts';
import { nodesWithAgent } from '../../node-agents.ts';
import { claimsOf } from '../../pod-items.ts';
import { ofRestore } from '../../restore-csi/restore-labels.ts';

/** Facts that thousands of waiting pods need are listed once for all requests within this time. */
const keptMs = 30_000;

/** Reasons for which a pod may have waited for long. */
export interface WaitFacts {
  /** Whether the node has a node-agent that restores volumes of pods. */
  hasNodeAgent(node: string, signal: AbortSignal): Promise<boolean>;
  /**
   * A pod cannot start before its other claims have their data, which a DataDownload restores: the time until which that was the
   * case, in wall-clock ms; Infinity while it is, undefined when none of its claims has a DataDownload.
   */
  dataComesUntil(pod: Pod, signal: AbortSignal): Promise<number | undefined>;
}

export function waitFacts(context: RestoreOperationContext): WaitFacts {
  const { kube, clock, veleroNamespace: namespace } = context;
  const nodes = keptFor(clock, (signal) => nodesWithAgent(kube, namespace, signal));
  const ends = keptFor(clock, (signal) => endsByClaim(context, signal));
  return {
    hasNodeAgent: async (node, signal) => (await nodes(signal)).has(node),
    dataComesUntil: async (pod, signal) => {
      const claims = claimsOf(pod);
      if (claims.length === 0) return undefined;
      const all = await ends(signal);
      const own = claims.flatMap((claim) => all.get(`${claim.namespace}/${claim.name}`) ?? []);
      return own.length === 0 ? undefined : Math.max(...own);
    },
  };
}

/** When the DataDownload of each claim ended. */
async function endsByClaim(
  { kube, restore, veleroNamespace: namespace }: RestoreOperationContext,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const { items } = await listAll(kube, dataDownloadType, { namespace, labelSelector: ofRestore(restore), signal });
  return new Map(
    items.map(({ spec: { targetVolume: to }, status }) => [
      `${to.namespace}/${to.pvc}`,
      isTerminalPhase(status?.phase) ? Date.parse(status?.completionTimestamp ?? '') || 0 : Number.POSITIVE_INFINITY,
    ]),
  );
}

/** A failed read is not cached. */
function keptFor<T>(clock: Clock, read: (signal: AbortSignal) => Promise<T>): (signal: AbortSignal) => Promise<T> {
  let kept: { value: T; atMs: number } | undefined;
  return async (signal) => {
    if (kept === undefined || clock.monotonicMs() - kept.atMs >= keptMs)
      kept = { atMs: clock.monotonicMs(), value: await read(signal) };
    return kept.value;
  };
}
