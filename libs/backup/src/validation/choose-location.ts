import { type BackupStorageLocation, chooseDefault } from '@lateen/api-types';
import { describeError } from '@lateen/errors';

/** The name of the backup's location, and what determined it. */
export interface LocationChoice {
  name: string;
  /** `server`: the server's flag, because neither the backup nor a default mark determines the location. */
  by: 'spec' | 'mark' | 'server';
}

/** Pure. */
export function chooseLocation(
  asked: string | undefined,
  locations: readonly BackupStorageLocation[],
  serverDefault: string,
): LocationChoice {
  if (asked) return { name: asked, by: 'spec' };
  const marked = chooseDefault(locations.filter(({ spec }) => spec?.default === true));
  return marked === undefined
    ? { name: serverDefault, by: 'server' }
    : { name: marked.metadata.name ?? '', by: 'mark' };
}

/** The result of reading the chosen location. */
export type LocationReading =
  | { location: BackupStorageLocation }
  | { missing: unknown }
  /** The location could not be read for another reason. */
  | { error: unknown };

const advice = 'Please address this issue (see `velero backup-location -h` for options) and create a new backup.';

/** Why the location cannot be used; in Velero's words (backup-and-restore.md section 1). Pure. */
export function locationErrors(choice: LocationChoice, reading: LocationReading): string[] {
  const unspecified = 'an existing backup storage location was not specified at backup creation time and the';
  if ('missing' in reading) {
    const what =
      choice.by === 'server' ? `server default ${choice.name} does not exist` : `default ${choice.name} was not found`;
    return [`${unspecified} ${what}. ${advice} Error: ${describeError(reading.missing)}`];
  }
  if ('error' in reading) return [`error getting backup storage location: ${describeError(reading.error)}`];
  const { spec, status } = reading.location;
  if (spec?.accessMode === 'ReadOnly')
    return [`backup can't be created because backup storage location ${choice.name} is currently in read-only mode`];
  if (status?.phase === 'Unavailable')
    return [`backup can't be created because BackupStorageLocation ${choice.name} is in Unavailable status.`];
  return [];
}
