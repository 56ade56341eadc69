import { type BackupStorageLocation, chooseDefault } from '@lateen/api-types';

/** One write that makes the default true again. */
export interface DefaultChange {
  location: BackupStorageLocation;
  default: boolean;
  /** For the log and the Event. */
  why: string;
}

/**
 * What has to be written so that at most one location is the default (api.md section 5): the server's setting when none
 * is marked, and only the newest-created when several are; of two that were made in the same second, the first by name.
 * `named` "" means that the server's setting names none. Pure.
 */
export function decideDefault(locations: readonly BackupStorageLocation[], named: string): DefaultChange[] {
  const present = locations.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const defaults = present.filter(({ spec }) => spec.default === true);
  const keeper = chooseDefault(defaults);
  if (keeper !== undefined) {
    const why = `only one location can be the default, and "${keeper.metadata.name}" was made last`;
    const others = defaults.filter((location) => location !== keeper);
    return others.map((location) => ({ location, default: false, why }));
  }
  const chosen = present.find(({ metadata }) => metadata.name === named);
  if (chosen === undefined) return [];
  return [{ location: chosen, default: true, why: 'no location was marked as the default; the server names this one' }];
}
