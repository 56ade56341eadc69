import { apiTime } from '@lateen/kube';
import { generationOf, type Replica } from '@lateen/storage-types';
import { reusableReplica } from '../../scheduler/reuse.ts';
import { byName, failureCauseOf, isFailed, modeOf, nameOf, replicaText } from '../replica-facts.ts';
import type { VolumeEffect } from '../volume-effect.ts';
import {
  addressOf,
  isBeingDeleted,
  isInUse,
  isLost,
  isMove,
  isRebuilding,
  isServing,
  lostText,
  reuseSeenOf,
} from '../volume-facts.ts';
import type { StepResult, VolumeSeen, VolumeStep } from '../volume-seen.ts';
import { missingReplicas } from './replica-objects.ts';

/** At most one replica of a volume is rebuilt at a time, and on a node as many as the setting allows. */
export const rebuild: VolumeStep = (seen, _, nowMs) => {
  if (!isServing(seen.engine)) return undefined;
  const current = [...seen.replicas].sort(byName).find((replica) => isRebuilding(seen, replica));
  if (current !== undefined) return goOn(seen, current, nowMs);
  const stray = seen.replicas.filter((replica) => {
    return isFailed(replica) && replica.spec.desireState === 'running' && modeOf(seen.engine, nameOf(replica)) !== 'RW';
  });
  if (stray.length > 0) return { effects: stray.map((replica) => ({ do: 'stop-replica', replica: nameOf(replica) })) };
  const next = nextOne(seen, nowMs);
  return next === undefined ? undefined : ask(seen, next, nowMs);
};

function goOn(seen: VolumeSeen, replica: Replica, nowMs: number): StepResult {
  const cause = whyFailed(seen, replica);
  const name = nameOf(replica);
  if (cause !== undefined) {
    const failed: VolumeEffect = { do: 'rebuild-failed', replica: name, failedAt: apiTime(nowMs), cause };
    return { effects: [failed], waitsFor: `the rebuild of ${replicaText(replica)} has failed`, ends: true };
  }
  const addresses = seen.engine?.spec.replicaAddressMap ?? {};
  const address = addressOf(replica, generationOf(seen.engine ?? { metadata: {} }) ?? 0);
  const mode = modeOf(seen.engine, name);
  // It counts as complete as soon as its mode is RW, so its address has to be recorded by then.
  if ((mode === 'WO' || mode === 'RW') && addresses[name] === undefined && address !== undefined)
    return { effects: [{ do: 'set-addresses', addresses: { ...addresses, [name]: address } }] };
  const text = mode === 'WO' ? 'is being rebuilt' : 'is to be rebuilt, and has not begun';
  return { waitsFor: `replica ${replicaText(replica)} ${text}` };
}

function whyFailed(seen: VolumeSeen, replica: Replica): string | undefined {
  const { nodeID = '' } = replica.spec;
  if (isBeingDeleted(replica)) return 'it is being deleted';
  if (modeOf(seen.engine, nameOf(replica)) === 'ERR') return `its rebuild failed: ${failureCauseOf(replica)}`;
  if (isLost(seen, nodeID)) return lostText(seen, nodeID);
  if (replica.status?.currentState === 'error') return 'it could not be started for its rebuild';
  return undefined;
}

/** First a scheduled replica without data, then a failed one that can be reused. */
function nextOne(seen: VolumeSeen, nowMs: number): Replica | undefined {
  const empty = [...seen.replicas].sort(byName).find((replica) => {
    const fits = (replica.spec.nodeID ?? '') !== '' && !isFailed(replica) && !isBeingDeleted(replica);
    return fits && !isInUse(seen, replica) && modeOf(seen.engine, nameOf(replica)) === undefined;
  });
  // A replica that is not scheduled may never be: failed replicas may occupy all suitable places.
  const homeless = seen.replicas.filter(
    (replica) => (replica.spec.nodeID ?? '') === '' && !isFailed(replica) && !isBeingDeleted(replica),
  );
  if (empty !== undefined || missingReplicas(seen) + homeless.length <= 0) return empty;
  const reuse = reusableReplica(reuseSeenOf(seen, nowMs));
  if (reuse.kind !== 'reuse') return undefined;
  const again = seen.replicas.find((replica) => nameOf(replica) === reuse.replica);
  return modeOf(seen.engine, reuse.replica) === undefined ? again : undefined;
}

function ask(seen: VolumeSeen, replica: Replica, nowMs: number): StepResult {
  const { settings, rebuildsOn } = seen;
  const { nodeID = '' } = replica.spec;
  const name = nameOf(replica);
  if (isLost(seen, nodeID)) {
    const cause = lostText(seen, nodeID);
    const waitsFor = `replica ${replicaText(replica)} cannot be rebuilt: ${cause}`;
    // That replica is not needed: the volume has all replicas, and may be balanced elsewhere.
    const failed: VolumeEffect = { do: 'rebuild-failed', replica: name, failedAt: apiTime(nowMs), cause };
    return isMove(replica) ? { effects: [failed], waitsFor, ends: true } : { waitsFor };
  }
  const limit = settings.number('concurrent-replica-rebuild-per-node-limit');
  if ((rebuildsOn.get(nodeID) ?? 0) >= limit) {
    const reason = `${limit} replicas are being rebuilt on ${nodeID} already`;
    return { waitsFor: reason, again: { afterMs: rebuildPlaceRetryMs, reason } };
  }
  const waitsFor = `the rebuild of replica ${replicaText(replica)} is asked for`;
  return { effects: [{ do: 'request-rebuild', replica: name }], waitsFor };
}

/** Delay before a node is checked again for capacity for one more rebuild. */
export const rebuildPlaceRetryMs = 10_000;
