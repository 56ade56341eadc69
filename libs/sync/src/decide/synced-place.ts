import { annotations, type BackupStorageLocation } from '@lateen/api-types';
import { apiTime } from '@lateen/kube';
import { placeFingerprint } from '@lateen/storage-location';

/** Which place a location shows, and since when it is known to. */
export interface SyncedPlace {
  fingerprint: string;
  /** A Backup that is older may be of another place: ms since the epoch. */
  sinceMs: number;
}

/**
 * The place that the last look found, as the location tells it; of one that was never looked at by us, the present one since its
 * creation. One that was deleted and made again is another location.
 */
export function syncedPlace(location: BackupStorageLocation): SyncedPlace {
  const [fingerprint = '', since = ''] = (location.metadata.annotations?.[annotations.syncedPlace] ?? '').split(' ');
  const sinceMs = Date.parse(since);
  if (fingerprint !== '' && !Number.isNaN(sinceMs)) return { fingerprint, sinceMs };
  return {
    fingerprint: placeFingerprint(location),
    sinceMs: Date.parse(location.metadata.creationTimestamp ?? '') || Number.POSITIVE_INFINITY,
  };
}

/** What this look is of: the place of the last one, or a new one since now. */
export function presentPlace(location: BackupStorageLocation, nowMs: number): SyncedPlace {
  const last = syncedPlace(location);
  const fingerprint = placeFingerprint(location);
  return last.fingerprint === fingerprint ? last : { fingerprint, sinceMs: nowMs };
}

/** For the annotation. */
export const syncedPlaceText = ({ fingerprint, sinceMs }: SyncedPlace): string =>
  `${fingerprint} ${apiTime(Number.isFinite(sinceMs) ? sinceMs : 0)}`;
