import type { Restore } from '@lateen/api-types';
import { plainLine } from '@lateen/errors';
import { restoreNoun, waitsFor } from '@lateen/operations/restore';
import type { ResourceColumn } from '../output/resource-table.ts';
import { causeCell, itemsCell, operationsCell, phaseCell, selectorCell, timeCell } from '../output/run-cells.ts';

/** Velero's columns (cli.md section 8); with `-o wide` also the most important details. */
export const restoreColumns: readonly ResourceColumn<Restore>[] = [
  { head: 'NAME', cell: ({ metadata }) => metadata.name ?? '' },
  { head: 'BACKUP', cell: ({ spec }) => plainLine(spec.backupName ?? '') },
  { head: 'STATUS', cell: (restore) => phaseCell(restoreNoun, restore) },
  { head: 'STARTED', cell: ({ status }) => timeCell(status?.startTimestamp) },
  { head: 'COMPLETED', cell: ({ status }) => timeCell(status?.completionTimestamp) },
  { head: 'ERRORS', cell: ({ status }) => String(status?.errors ?? 0) },
  { head: 'WARNINGS', cell: ({ status }) => String(status?.warnings ?? 0) },
  { head: 'CREATED', cell: ({ metadata }) => timeCell(metadata.creationTimestamp) },
  { head: 'SELECTOR', cell: ({ spec }) => selectorCell(spec) },
  { head: 'ITEMS', cell: (restore) => itemsCell(restoreNoun.countsOf(restore)), wide: true },
  { head: 'OPERATIONS', cell: (restore) => operationsCell(restoreNoun.countsOf(restore)), wide: true },
  { head: 'WAITS FOR', cell: (restore) => plainLine(waitsFor(restore).join(', ')), wide: true },
  { head: 'CAUSE', cell: causeCell, wide: true },
];
