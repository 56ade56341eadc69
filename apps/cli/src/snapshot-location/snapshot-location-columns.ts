import type { VolumeSnapshotLocation } from '@lateen/api-types';
import { plainLine } from '@lateen/errors';
import type { ResourceColumn } from '../output/resource-table.ts';

/** Velero's columns (cli.md section 8); with `-o wide` also its credentials' Secret. */
export const snapshotLocationColumns: readonly ResourceColumn<VolumeSnapshotLocation>[] = [
  { head: 'NAME', cell: ({ metadata }) => metadata.name ?? '' },
  { head: 'PROVIDER', cell: ({ spec }) => plainLine(spec.provider) },
  {
    head: 'CREDENTIAL',
    cell: ({ spec }) =>
      spec.credential === undefined ? '<default>' : `${spec.credential.name ?? ''}/${spec.credential.key}`,
    wide: true,
  },
];
