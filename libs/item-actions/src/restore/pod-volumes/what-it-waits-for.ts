import { dataDownloadType, isTerminalPhase, type Pod } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import { listAll } from '@lateen/kube';
import type { RestoreOperationContext } from '../../contract/restore-item-action.ts';
import { nodesWithAgent } from '../../node-agents.ts';
import { claimsOf } from '../../pod-items.ts';
import { ofRestore } from '../../restore-csi/restore-labels.ts';

/** What is asked for thousands of pods that wait is listed once for all that ask within this time. */
const keptMs = 30_000;

/** What speaks for a pod that has waited for long. */
export interface WaitFacts {
  /** Whether somebody is on the node who restores volumes of pods there. */
  hasNodeAgent(node: string, signal: AbortSignal): Promise<boolean>;
  /**
   * A pod cannot start before its other claims have their data, which a DataDownload brings: until when that was so, in ms of the day;
   * Infinity while it comes, undefined when none of its claims gets data so.
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

/** When the DataDownload of each claim has ended. */
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

/** A reading that failed is not kept. */
function keptFor<T>(clock: Clock, read: (signal: AbortSignal) => Promise<T>): (signal: AbortSignal) => Promise<T> {
  let kept: { value: T; atMs: number } | undefined;
  return async (signal) => {
    if (kept === undefined || clock.monotonicMs() - kept.atMs >= keptMs)
      kept = { atMs: clock.monotonicMs(), value: await read(signal) };
    return kept.value;
  };
}
