import { type Replica, storageAnnotations, volumeStateOf } from '@lateen/storage-types';
import { pendingContent } from '../../content/content-of.ts';
import { isAhead } from '../../decision/is-ahead.ts';
import type { AvoidedPlaces, BalanceMove } from '../../scheduler/balance.ts';
import type { PlacedReplica } from '../../scheduler/place-request.ts';
import { changedReplica } from '../changed-replica.ts';
import { nameOf, replicaText } from '../replica-facts.ts';
import type { VolumeEffect } from '../volume-effect.ts';
import {
  isBeingDeleted,
  isInUse,
  isServing,
  movedInVainMs,
  moveRetryMs,
  placedReplicas,
  wantedReplicas,
} from '../volume-facts.ts';
import type { StepResult, VolumeSeen } from '../volume-seen.ts';
import { newReplica } from './new-objects.ts';
import { rebuildPlaceRetryMs } from './rebuild.ts';

export const later = (afterMs: number, reason: string): StepResult => ({ again: { afterMs, reason } });

/** After a failed move the next one, to another place, waits this long; each further failed move doubles the delay. */
export const moveElsewhereMs = 30_000;

/**
 * Until when no replica of the volume is moved because moves have failed; undefined when it may move. A place where a move has failed is not used by
 * this volume until that failure is forgotten (`avoidedPlaces`). A volume whose moves fail everywhere, because of the replicas they are copied from,
 * is soon tried only every ten minutes.
 */
export function pausedMove({ replicas }: VolumeSeen, nowMs: number): StepResult | undefined {
  const failedMs = replicas.flatMap((replica) => movedInVainMs(replica) ?? []);
  const lastMs = Math.max(...failedMs);
  if (failedMs.length === 0 || isAhead(lastMs, nowMs)) return undefined;
  const waitMs = Math.min(moveRetryMs, moveElsewhereMs * 2 ** (failedMs.length - 1));
  const leftMs = lastMs + waitMs - nowMs;
  return leftMs > 0 ? later(leftMs, 'a move has failed, and the next one begins after a while') : undefined;
}

/** Where a replica of the volume was to be moved and could not be built. */
export const avoidedPlaces = ({ replicas }: VolumeSeen): AvoidedPlaces => {
  const vain = replicas.filter(isVainMove);
  return {
    nodes: new Set(vain.map(({ spec }) => spec.nodeID ?? '')),
    disks: new Set(vain.map(({ spec }) => spec.diskID ?? '')),
  };
};

/** The replicas that have a place, without those whose move failed. */
export function settledReplicas(seen: VolumeSeen, nowMs: number): PlacedReplica[] {
  const vain = new Set(seen.replicas.filter(isVainMove).map(nameOf));
  return placedReplicas(seen, nowMs).filter(({ name }) => !vain.has(name));
}

const isVainMove = (replica: Replica): boolean => movedInVainMs(replica) !== undefined;

/** No replica is moving, missing or surplus: all of that comes before better places. */
export function isAtRest(seen: VolumeSeen): boolean {
  const { volume, engine, replicas } = seen;
  if (volumeStateOf(volume) !== 'attached' || !isServing(engine)) return false;
  const { spec, status } = volume;
  const moves = (spec.migrationNodeID ?? '') !== '' || (engine.spec.image ?? '') !== (spec.image ?? '');
  const grows = status?.expansionRequired === true || engine.status?.isExpanding === true;
  const merges = Object.values(engine.status?.purgeStatus ?? {}).some(({ isPurging }) => isPurging === true);
  if (moves || grows || merges || spec.Standby === true || pendingContent(volume) !== undefined) return false;
  // A replica that is deleted on a node that is down remains as an object until the node is back.
  const isWhole = (replica: Replica) => isInUse(seen, replica) && !isBeingDeleted(replica);
  const there = replicas.filter(
    (replica) => !isVainMove(replica) && (!isBeingDeleted(replica) || isInUse(seen, replica)),
  );
  return there.length === wantedReplicas(seen) && there.every(isWhole);
}

/** The new replica, with its place and the name of the replica that it replaces; delayed while its node has as many rebuilds as allowed. */
export function beginMove(seen: VolumeSeen, move: BalanceMove): StepResult | undefined {
  const limit = seen.settings.number('concurrent-replica-rebuild-per-node-limit');
  const there = seen.rebuildsOn.get(move.place.node) ?? 0;
  if (there < limit && !(move.fromFullDisk && there > 0)) return begun(seen, move);
  return later(rebuildPlaceRetryMs, `${there} replicas are being rebuilt on ${move.place.node}`);
}

function begun(seen: VolumeSeen, { place, replaces, because }: BalanceMove): StepResult | undefined {
  const [uuid] = seen.uuids;
  const old = seen.replicas.find((replica) => nameOf(replica) === replaces);
  if (uuid === undefined || old === undefined) return undefined;
  const empty = newReplica(seen.volume, seen.engine?.spec.volumeSize, uuid);
  const { metadata } = empty;
  const annotations = {
    ...metadata.annotations,
    [storageAnnotations.replaces]: replaces,
    [storageAnnotations.replacesBecause]: because,
  };
  const named = { ...empty, metadata: { ...metadata, annotations } };
  const object = changedReplica(named, { do: 'place-replica', replica: nameOf(named), place });
  const message = `Replica ${replicaText(old)} moves to disk ${place.disk} of ${place.node}, because ${because}`;
  const create: VolumeEffect = { do: 'create-replica', object };
  return {
    effects: [create],
    events: [{ type: 'Normal', reason: 'ReplicaMoves', message, after: create }],
    waitsFor: 'a replica in a better place is made',
  };
}
