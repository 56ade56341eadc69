import { type Backup, type BackupPhase, getValidName, labels } from '@lateen/api-types';
import type { SyncedPlace } from './synced-place.ts';

export interface OrphanView {
  /** Name of the location. */
  location: string;
  place: SyncedPlace;
  /** Backups of the cluster as they were before the bucket was listed: what was finished then had been stored. */
  before: readonly Backup[];
  /** All that the bucket has, by name. */
  listed: ReadonlySet<string>;
  /** What an earlier whole listing of this place by this process has shown. */
  seen: ReadonlySet<string>;
}

export interface Orphans {
  /** To be deleted, once the bucket has been asked for each by itself. */
  gone: Backup[];
  /** Not in the bucket either, but nothing proves that it ever was there. */
  doubtful: Backup[];
}

/** Others have not been stored, or are not yet (object-store-layout.md section 8). */
const stored: readonly (BackupPhase | undefined)[] = ['Completed', 'PartiallyFailed'];

/**
 * Backups of the cluster whose files are gone; pure. That a listing was read to its end does not say that it is of the right bucket:
 * a location may show another one by now, an empty one, or a directory that is not mounted. So a Backup goes only if this place has had it:
 * this process has seen it there, or it was made while the location showed this place, and the place still has another one of those.
 */
export function decideOrphans({ location, place, before, listed, seen }: OrphanView): Orphans {
  const own = before.filter((backup) => isOf(backup, location) && stored.includes(backup.status?.phase));
  const missing = own.filter(({ metadata }) => !listed.has(metadata.name ?? ''));
  const isRightPlace = own.some(({ metadata }) => listed.has(metadata.name ?? ''));
  const isProven = ({ metadata }: Backup): boolean =>
    seen.has(metadata.name ?? '') ||
    (isRightPlace && (Date.parse(metadata.creationTimestamp ?? '') || 0) >= place.sinceMs);
  return { gone: missing.filter(isProven), doubtful: missing.filter((backup) => !isProven(backup)) };
}

const isOf = ({ metadata, spec }: Backup, location: string): boolean =>
  metadata.labels?.[labels.storageLocation] === getValidName(location) &&
  (spec.storageLocation === undefined || spec.storageLocation === '' || spec.storageLocation === location) &&
  metadata.deletionTimestamp === undefined;
