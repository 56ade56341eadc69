import type { BackupRepository } from '@lateen/api-types';
import { plainLine } from '../output/plain-line.ts';
import { plainTable } from '../output/plain-table.ts';

interface Column {
  head: string;
  cell(repository: BackupRepository): string;
  /** Shown only when asked for with `-o wide`. */
  wide?: true;
}

/** The first three are the reference's (cli.md section 8). */
const columns: readonly Column[] = [
  { head: 'NAME', cell: ({ metadata }) => metadata.name ?? '' },
  { head: 'STATUS', cell: ({ status }) => status?.phase || 'New' },
  { head: 'LAST MAINTENANCE', cell: ({ status }) => status?.lastMaintenanceTime ?? '<never>' },
  { head: 'VOLUME NAMESPACE', cell: ({ spec }) => spec.volumeNamespace, wide: true },
  { head: 'LOCATION', cell: ({ spec }) => spec.backupStorageLocation, wide: true },
  { head: 'TYPE', cell: ({ spec }) => spec.repositoryType ?? '', wide: true },
  { head: 'MESSAGE', cell: ({ status }) => status?.message ?? '', wide: true },
];

/** The lines of the table; one line of words when there is nothing. */
export function repositoryTable(repositories: readonly BackupRepository[], wide: boolean): string[] {
  if (repositories.length === 0) return ['There are no backup repositories.'];
  const shown = columns.filter((column) => column.wide !== true || wide);
  return plainTable(
    shown.map(({ head }) => head),
    repositories.map((each) => shown.map(({ cell }) => plainLine(cell(each)))),
  );
}
