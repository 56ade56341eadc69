import type { BackupRepository } from '@lateen/api-types';
import { plainLine } from '@lateen/errors';
import type { ResourceColumn } from '../output/resource-table.ts';

/** Velero's columns (cli.md section 8); with `-o wide` also the namespace of its volumes and why it does not work. */
export const repositoryColumns: readonly ResourceColumn<BackupRepository>[] = [
  { head: 'NAME', cell: ({ metadata }) => metadata.name ?? '' },
  { head: 'STATUS', cell: ({ status }) => status?.phase || 'New' },
  { head: 'LAST MAINTENANCE', cell: ({ status }) => status?.lastMaintenanceTime ?? '<never>' },
  { head: 'VOLUME NAMESPACE', cell: ({ spec }) => plainLine(spec.volumeNamespace), wide: true },
  { head: 'LOCATION', cell: ({ spec }) => plainLine(spec.backupStorageLocation), wide: true },
  { head: 'TYPE', cell: ({ spec }) => plainLine(spec.repositoryType ?? ''), wide: true },
  { head: 'MESSAGE', cell: ({ status }) => plainLine(status?.message ?? ''), wide: true },
];
