import { type Replica, volumeStateOf } from '@lateen/storage-types';
import { isAhead } from '../../decision/is-ahead.ts';
import { rebuildRetriesMax, reusableReplica } from '../../scheduler/reuse.ts';
import { surplusReplica } from '../../scheduler/surplus-replica.ts';
import { byName, everHealthy, isFailed, nameOf } from '../replica-facts.ts';
import type { VolumeEffect } from '../volume-effect.ts';
import {
  isBeingDeleted,
  isFresh,
  isInUse,
  isRebuilding,
  isSafeAlone,
  isServing,
  movedInVainMs,
  moveRetryMs,
  placedReplicas,
  reuseSeenOf,
  wantedReplicas,
} from '../volume-facts.ts';
import type { StepResult, VolumeSeen, VolumeStep } from '../volume-seen.ts';
import { evictedReplicas, leavingReplicas } from './evict.ts';
import { newEngine, newReplica } from './new-objects.ts';

/** Creates missing engine and replica objects: all at once at first, later one replica after the other. */
export const replicaObjects: VolumeStep = (seen, _, nowMs) => {
  const { volume, engine } = seen;
  if (engine === undefined) {
    const object = newEngine(seen);
    return { effects: [{ do: 'create-engine', object }], waitsFor: 'the engine is made', ends: true };
  }
  // During a start no replica is added: the start would wait for each of them.
  const rests = ['creating', 'detached'].includes(volumeStateOf(volume));
  if (isFresh(seen)) return rests ? createAll(seen) : undefined;
  return isServing(engine) ? replenish(seen, nowMs) : undefined;
};

function createAll(seen: VolumeSeen): StepResult | undefined {
  const there = seen.replicas.filter((replica) => !isFailed(replica) && !isBeingDeleted(replica));
  const effects = create(seen, wantedReplicas(seen) - there.length);
  return effects.length === 0 ? undefined : { effects, waitsFor: 'its replicas are made', ends: true };
}

function create({ volume, engine, uuids }: VolumeSeen, count: number): VolumeEffect[] {
  const size = engine?.spec.volumeSize;
  return uuids
    .slice(0, Math.max(count, 0))
    .map((uuid) => ({ do: 'create-replica', object: newReplica(volume, size, uuid) }));
}

function replenish(seen: VolumeSeen, nowMs: number): StepResult | undefined {
  const missing = missingReplicas(seen);
  const onItsWay = seen.replicas.some((replica) => isComing(seen, replica));
  if (missing <= 0 || onItsWay) return undefined;
  const reuse = reusableReplica(reuseSeenOf(seen, nowMs));
  // Its rebuild is requested by the rebuild step.
  if (reuse.kind === 'reuse') return undefined;
  if (reuse.kind === 'none') return { effects: create(seen, 1), waitsFor: 'a new replica is made' };
  const reason = `failed replicas may come back: ${reuse.replicas.join(', ')}`;
  return { waitsFor: reason, again: { afterMs: Math.max(reuse.untilMs - nowMs, 0), reason } };
}

/** How many replicas the volume lacks. A leaving replica counts until there are enough others. */
export function missingReplicas(seen: VolumeSeen): number {
  const wanted = wantedReplicas(seen);
  const there = seen.replicas.filter((replica) => {
    return !isBeingDeleted(replica) && (!isFailed(replica) || isRebuilding(seen, replica));
  });
  const leaving = leavingReplicas(seen);
  const staying = there.filter((replica) => !leaving.has(nameOf(replica)));
  return Math.min(wanted - staying.length, wanted + 1 - there.length);
}

/** It has to be rebuilt, or is being rebuilt. */
const isComing = (seen: VolumeSeen, replica: Replica): boolean =>
  !isBeingDeleted(replica) && !isInUse(seen, replica) && (!isFailed(replica) || isRebuilding(seen, replica));

/** Deletes replicas that are no longer needed, one in a pass; never one that may hold the only data. */
export const spareReplicas: VolumeStep = (seen, _, nowMs) => {
  const name = uselessFailure(seen, nowMs) ?? tooMany(seen, nowMs);
  if (name !== undefined) return { effects: [{ do: 'delete', kind: 'Replica', name }] };
  const goesMs = seen.replicas.map((replica) => (movedInVainMs(replica) ?? Number.NaN) + moveRetryMs);
  const nextMs = goesMs.filter((each) => each > nowMs).sort((a, b) => a - b)[0];
  if (nextMs === undefined) return undefined;
  return { again: { afterMs: nextMs - nowMs, reason: 'a move that failed is given up' } };
};

function uselessFailure(seen: VolumeSeen, nowMs: number): string | undefined {
  const sorted = [...seen.replicas].sort(byName).filter((replica) => isFailed(replica) && !isBeingDeleted(replica));
  const evicted = evictedReplicas(seen);
  const useless = sorted.find((replica) => {
    const failedMs = movedInVainMs(replica);
    const isOver = failedMs !== undefined && (nowMs >= failedMs + moveRetryMs || isAhead(failedMs, nowMs));
    // A leaving replica is not reused, and as long as it exists its node or disk is not empty.
    const givenUp = missingReplicas(seen) <= 0 && (isOver || evicted.has(nameOf(replica)));
    if (isRebuilding(seen, replica) || !(givenUp || isOutdated(seen, replica, nowMs))) return false;
    return !everHealthy(replica) || seen.replicas.some((other) => other !== replica && isSafeAlone(seen, other));
  });
  return useless === undefined ? undefined : nameOf(useless);
}

function isOutdated({ volume }: VolumeSeen, { spec }: Replica, nowMs: number): boolean {
  const staleMs = (volume.spec.staleReplicaTimeout ?? 0) * 60_000;
  const failedAtMs = Date.parse(spec.failedAt ?? '') || 0;
  if ((spec.rebuildRetryCount ?? 0) >= rebuildRetriesMax || (spec.nodeID ?? '') === '') return true;
  return (staleMs > 0 && nowMs >= failedAtMs + staleMs) || (spec.image ?? '') !== (volume.spec.image ?? '');
}

/** Only while the engine uses as many replicas as the volume should have: first one that is not in use, then the least important one. */
function tooMany(seen: VolumeSeen, nowMs: number): string | undefined {
  const inUse = seen.replicas.filter((replica) => isInUse(seen, replica) && !isBeingDeleted(replica));
  const wanted = wantedReplicas(seen);
  const leaving = leavingReplicas(seen);
  const stays = inUse.filter((replica) => !leaving.has(nameOf(replica)));
  const coming = [...seen.replicas].sort(byName).find((replica) => isComing(seen, replica));
  if (stays.length >= wanted && coming !== undefined) return nameOf(coming);
  const names = new Set(inUse.map(nameOf));
  return surplusReplica({
    numberOfReplicas: wanted,
    healthy: placedReplicas(seen, nowMs).filter(({ name }) => names.has(name)),
    leaving,
    cluster: seen.cluster,
    ...(seen.volume.spec.dataLocality === 'best-effort' ? { keepNode: seen.engine?.spec.nodeID ?? '' } : {}),
  });
}
