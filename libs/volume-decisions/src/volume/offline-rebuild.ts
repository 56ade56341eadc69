import { pendingContent } from '../content/content-of.ts';
import { reusableReplica } from '../scheduler/reuse.ts';
import { isFailed } from './replica-facts.ts';
import { failedReplicas, isBeingDeleted, isRebuilding, reuseSeenOf, wantedReplicas } from './volume-facts.ts';
import type { VolumeSeen } from './volume-seen.ts';

export type OfflineSeen = Pick<VolumeSeen, 'volume' | 'engine' | 'replicas' | 'cluster' | 'settings'>;

/** Whether replicas of the volume are rebuilt while nobody has it attached: its own field, else the setting. */
export const rebuildsOffline = ({ volume, settings }: Pick<OfflineSeen, 'volume' | 'settings'>): boolean => {
  const { offlineRebuilding: own = 'ignored' } = volume.spec;
  return own === 'ignored' ? settings.flag('offline-replica-rebuilding') : own === 'enabled';
};

/**
 * Whether a volume that nobody asks for is to be attached so that its replicas are rebuilt, and stays so: it lacks some, others have the data, and something
 * can be done about it. One whose missing replicas have no place waits detached until there is one.
 */
export function needsOfflineRebuild(seen: OfflineSeen): boolean {
  const { volume, replicas } = seen;
  const { metadata, spec, status } = volume;
  if (!rebuildsOffline(seen) || metadata.deletionTimestamp !== undefined || spec.Standby === true) return false;
  if (pendingContent(volume) !== undefined || status?.robustness === 'faulted') return false;
  const staying = replicas.filter((replica) => !isFailed(replica) && !isBeingDeleted(replica));
  const whole = staying.filter((replica) => (replica.spec.healthyAt ?? '') !== '').length;
  if (whole === 0 || whole >= wantedReplicas(seen)) return false;
  const homeless = staying.filter((replica) => (replica.spec.nodeID ?? '') === '').length;
  return whole + homeless < wantedReplicas(seen) || canReturn(seen);
}

/** A failed replica is being rebuilt where it is, or could be, now or after its next wait. */
function canReturn(seen: OfflineSeen): boolean {
  const after = Number.MAX_SAFE_INTEGER;
  if (seen.replicas.some((replica) => isRebuilding(seen, replica))) return true;
  const failed = failedReplicas(seen);
  return failed.some((each) => reusableReplica({ ...reuseSeenOf(seen, after), failed: [each] }).kind === 'reuse');
}
