import type { TicketType } from '@lateen/storage-types';
import { pendingContent } from '../content/content-of.ts';
import { isPlace, placeReplica } from '../scheduler/place-replica.ts';
import { reusableReplica } from '../scheduler/reuse.ts';
import { schedulerSettingsOf } from '../settings/scheduler-settings.ts';
import { isFailed, nameOf } from './replica-facts.ts';
import { evictedReplicas, type LeavingSeen } from './steps/evict.ts';
import { placeRequestOf } from './steps/schedule.ts';
import {
  failedReplicas,
  isBeingDeleted,
  isRebuilding,
  placedReplicas,
  reuseSeenOf,
  wantedReplicas,
} from './volume-facts.ts';
import type { VolumeSeen } from './volume-seen.ts';

export type OfflineSeen = Pick<VolumeSeen, 'volume' | 'engine' | 'replicas' | 'cluster' | 'settings'>;

/** Types of the tickets with which the manager attaches a volume only to work on its replicas, while no client requests it. */
export const replicaTickets = [
  'volume-rebuilding-controller',
  'volume-eviction-controller',
] as const satisfies TicketType[];
export type ReplicaTicket = (typeof replicaTickets)[number];

/**
 * Why a volume that no client requests has to be attached, and stays attached; undefined: no reason. `waitsFor`: there is a reason, but nothing can be
 * done for the volume now.
 */
export function offlineWork(
  seen: OfflineSeen & LeavingSeen,
  nowMs: number,
): { readonly ticket: ReplicaTicket } | { readonly waitsFor: string } | undefined {
  if (needsOfflineRebuild(seen)) return { ticket: 'volume-rebuilding-controller' };
  if (!mayBeAttached(seen) || seen.volume.spec.dataLocality === 'strict-local') return undefined;
  const there = seen.replicas.filter((replica) => !isFailed(replica) && !isBeingDeleted(replica));
  const evicted = evictedReplicas(seen);
  const [goes] = there.filter((replica) => evicted.has(nameOf(replica)) && (replica.spec.healthyAt ?? '') !== '');
  if (goes === undefined) return undefined;
  const isComing = there.some(({ spec }) => (spec.nodeID ?? '') !== '' && (spec.healthyAt ?? '') === '');
  if (isComing || there.length > wantedReplicas(seen) || hasPlace(seen, nowMs))
    return { ticket: 'volume-eviction-controller' };
  return {
    waitsFor: `a place for the replica that takes over from ${nameOf(goes)}, which is to leave ${goes.spec.nodeID}`,
  };
}

/** Whether one more replica of the volume could be placed now. */
function hasPlace(seen: OfflineSeen & LeavingSeen, nowMs: number): boolean {
  const request = placeRequestOf(seen, placedReplicas(seen, nowMs));
  return isPlace(placeReplica(request, seen.cluster, schedulerSettingsOf(seen.settings)));
}

/** It has all of its content, and is not being deleted. */
function mayBeAttached({ volume }: Pick<OfflineSeen, 'volume'>): boolean {
  const { metadata, spec, status } = volume;
  if (metadata.deletionTimestamp !== undefined || spec.Standby === true) return false;
  return pendingContent(volume) === undefined && status?.robustness !== 'faulted';
}

/** Whether replicas of the volume are rebuilt while it is detached: its own field, else the setting. */
export const rebuildsOffline = ({ volume, settings }: Pick<OfflineSeen, 'volume' | 'settings'>): boolean => {
  const { offlineRebuilding: own = 'ignored' } = volume.spec;
  return own === 'ignored' ? settings.flag('offline-replica-rebuilding') : own === 'enabled';
};

/**
 * Whether a volume that no client requests has to be attached, and stay attached, to rebuild replicas: it lacks some, others have the data, and the
 * rebuild is possible. A volume whose missing replicas have no place stays detached until there is a place.
 */
export function needsOfflineRebuild(seen: OfflineSeen): boolean {
  if (!rebuildsOffline(seen) || !mayBeAttached(seen)) return false;
  const staying = seen.replicas.filter((replica) => !isFailed(replica) && !isBeingDeleted(replica));
  const whole = staying.filter((replica) => (replica.spec.healthyAt ?? '') !== '').length;
  if (whole === 0 || whole >= wantedReplicas(seen)) return false;
  const homeless = staying.filter((replica) => (replica.spec.nodeID ?? '') === '').length;
  return whole + homeless < wantedReplicas(seen) || canReturn(seen);
}

/** A failed replica is being rebuilt in its place, or could be, now or after its next delay. */
function canReturn(seen: OfflineSeen): boolean {
  const after = Number.MAX_SAFE_INTEGER;
  if (seen.replicas.some((replica) => isRebuilding(seen, replica))) return true;
  const failed = failedReplicas(seen);
  return failed.some((each) => reusableReplica({ ...reuseSeenOf(seen, after), failed: [each] }).kind === 'reuse');
}
