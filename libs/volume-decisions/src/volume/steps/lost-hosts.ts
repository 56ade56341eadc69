import { apiTime } from '@lateen/kube';
import { diskOf } from '../../scheduler/cluster-facts.ts';
import { byName, isFailed, nameOf } from '../replica-facts.ts';
import type { VolumeEffect } from '../volume-effect.ts';
import { isInUse, isLost, lostText, startingOf } from '../volume-facts.ts';
import type { StepResult, VolumeSeen, VolumeStep } from '../volume-seen.ts';

/**
 * The effects of a lost node. A replica whose node or disk was removed from the cluster never comes back and has failed. A replica on a node that is
 * down has not failed: the engine reports it if it misses it, and the next start if it does not promise.
 */
export const lostHosts: VolumeStep = (seen, _, nowMs) => {
  const effects = goneForGood(seen, nowMs);
  if (effects.length > 0) return { effects, ends: true, waitsFor: 'lost replicas are recorded first' };
  return engineOutOfReach(seen);
};

function goneForGood(seen: VolumeSeen, nowMs: number): VolumeEffect[] {
  return [...seen.replicas]
    .sort(byName)
    .filter((replica) => (replica.spec.nodeID ?? '') !== '' && !isFailed(replica) && !isInUse(seen, replica))
    .flatMap((replica): VolumeEffect[] => {
      const cause = whyGone(seen, replica.spec);
      if (cause === undefined) return [];
      return [{ do: 'fail-replica', replica: nameOf(replica), failedAt: apiTime(nowMs), cause }];
    });
}

function whyGone(seen: VolumeSeen, { nodeID = '', diskID = '' }: { nodeID?: string; diskID?: string }) {
  if (!seen.cluster.nodes.has(nodeID)) return lostText(seen, nodeID);
  return diskOf(seen.cluster, nodeID, diskID) === undefined ? `its disk was taken out of node ${nodeID}` : undefined;
}

function engineOutOfReach(seen: VolumeSeen): StepResult | undefined {
  const { engine, volume } = seen;
  const nodeID = engine?.spec.nodeID ?? '';
  if (!['attached', 'attaching'].includes(volume.status?.state ?? '') || !isLost(seen, nodeID)) return undefined;
  if (startingOf(engine) !== undefined) return undefined;
  return {
    waitsFor: `${lostText(seen, nodeID)}, and the engine with it; it continues elsewhere when it is attached there`,
  };
}
