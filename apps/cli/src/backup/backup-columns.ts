import type { Backup } from '@lateen/api-types';
import { plainLine } from '@lateen/errors';
import { age } from '@lateen/kernel';
import { backupNoun } from '@lateen/operations/backup';
import { timeMs } from '@lateen/operations/volume';
import type { ResourceColumn } from '../output/resource-table.ts';
import { causeCell, itemsCell, operationsCell, phaseCell, selectorCell, timeCell } from '../output/run-cells.ts';

/** Velero's columns (cli.md section 8); with `-o wide` also the most important details. @param nowMs since the epoch */
export function backupColumns(nowMs: number): readonly ResourceColumn<Backup>[] {
  return [
    { head: 'NAME', cell: ({ metadata }) => metadata.name ?? '' },
    { head: 'STATUS', cell: (backup) => phaseCell(backupNoun, backup) },
    { head: 'ERRORS', cell: ({ status }) => String(status?.errors ?? 0) },
    { head: 'WARNINGS', cell: ({ status }) => String(status?.warnings ?? 0) },
    { head: 'CREATED', cell: ({ status }) => timeCell(status?.startTimestamp) },
    { head: 'EXPIRES', cell: (backup) => expires(backup, nowMs) },
    { head: 'STORAGE LOCATION', cell: ({ spec }) => plainLine(spec.storageLocation ?? '') },
    { head: 'QUEUE POSITION', cell: ({ status }) => (status?.queuePosition ? String(status.queuePosition) : '') },
    { head: 'SELECTOR', cell: ({ spec }) => selectorCell(spec) },
    { head: 'ITEMS', cell: (backup) => itemsCell(backupNoun.countsOf(backup)), wide: true },
    { head: 'OPERATIONS', cell: (backup) => operationsCell(backupNoun.countsOf(backup)), wide: true },
    { head: 'COMPLETED', cell: ({ status }) => status?.completionTimestamp ?? '', wide: true },
    { head: 'CAUSE', cell: causeCell, wide: true },
  ];
}

function expires({ status }: Backup, nowMs: number): string {
  const atMs = timeMs(status?.expiration);
  if (atMs === undefined) return 'n/a';
  return atMs >= nowMs ? age(atMs - nowMs) : `${age(nowMs - atMs)} ago`;
}
