import { annotations, type BackupStorageLocation } from '@lateen/api-types';
import { plainLine } from '@lateen/errors';
import type { ResourceColumn } from '../output/resource-table.ts';

/** Velero's columns (cli.md section 8); with `-o wide` also why a location does not work. */
export const locationColumns: readonly ResourceColumn<BackupStorageLocation>[] = [
  { head: 'NAME', cell: ({ metadata }) => metadata.name ?? '' },
  { head: 'PROVIDER', cell: ({ spec }) => plainLine(spec.provider) },
  { head: 'BUCKET/PREFIX', cell: placeOf },
  { head: 'PHASE', cell: ({ status }) => status?.phase || 'Unknown' },
  { head: 'LAST VALIDATED', cell: ({ status }) => status?.lastValidationTime || 'Unknown' },
  { head: 'ACCESS MODE', cell: ({ spec }) => spec.accessMode || 'ReadWrite' },
  { head: 'DEFAULT', cell: ({ spec }) => (spec.default === true ? 'true' : '') },
  { head: 'CREDENTIAL', cell: credentialOf, wide: true },
  { head: 'UPLOAD LIMIT', cell: rateOf('uploadBytesPerSecond'), wide: true },
  { head: 'DOWNLOAD LIMIT', cell: rateOf('downloadBytesPerSecond'), wide: true },
  { head: 'MESSAGE', cell: ({ status }) => plainLine(status?.message ?? ''), wide: true },
];

function placeOf({ spec }: BackupStorageLocation): string {
  const { bucket, prefix } = spec.objectStorage;
  return plainLine(prefix === undefined || prefix === '' ? bucket : `${bucket}/${prefix}`);
}

function credentialOf({ spec }: BackupStorageLocation): string {
  return spec.credential === undefined ? '<default>' : `${spec.credential.name ?? ''}/${spec.credential.key}`;
}

/** The rate as the user wrote it, a number of bytes per second. */
function rateOf(name: 'uploadBytesPerSecond' | 'downloadBytesPerSecond') {
  return ({ metadata }: BackupStorageLocation): string =>
    plainLine(metadata.annotations?.[annotations[name]] ?? '<none>');
}
