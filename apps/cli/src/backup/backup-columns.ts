import type { Backup } from '@lateen/api-types';
import { plainLine } from '@lateen/errors';
import { backupPhaseOf } from '@lateen/operations/backup';
import { timeMs } from '@lateen/operations/volume';
import { age } from '../output/age.ts';
import type { ResourceColumn } from '../output/resource-table.ts';
import { orSelectorText, selectorText } from '../output/selector-text.ts';

/** The reference's columns (cli.md section 8), and with `-o wide` what one asks next. @param nowMs since the epoch */
export function backupColumns(nowMs: number): readonly ResourceColumn<Backup>[] {
  return [
    { head: 'NAME', cell: ({ metadata }) => metadata.name ?? '' },
    { head: 'STATUS', cell: phaseCell },
    { head: 'ERRORS', cell: ({ status }) => String(status?.errors ?? 0) },
    { head: 'WARNINGS', cell: ({ status }) => String(status?.warnings ?? 0) },
    { head: 'CREATED', cell: ({ status }) => status?.startTimestamp ?? '<nil>' },
    { head: 'EXPIRES', cell: (backup) => expires(backup, nowMs) },
    { head: 'STORAGE LOCATION', cell: ({ spec }) => plainLine(spec.storageLocation ?? '') },
    { head: 'QUEUE POSITION', cell: ({ status }) => (status?.queuePosition ? String(status.queuePosition) : '') },
    { head: 'SELECTOR', cell: ({ spec }) => selectors(spec) },
    { head: 'ITEMS', cell: itemsOf, wide: true },
    { head: 'OPERATIONS', cell: operationsOf, wide: true },
    { head: 'COMPLETED', cell: ({ status }) => status?.completionTimestamp ?? '', wide: true },
    { head: 'CAUSE', cell: causeOf, wide: true },
  ];
}

/** One that is being deleted says so, whatever its phase. */
const phaseCell = (backup: Backup): string =>
  backup.metadata.deletionTimestamp === undefined ? backupPhaseOf(backup) : 'Deleting';

function expires({ status }: Backup, nowMs: number): string {
  const atMs = timeMs(status?.expiration);
  if (atMs === undefined) return 'n/a';
  return atMs >= nowMs ? age(atMs - nowMs) : `${age(nowMs - atMs)} ago`;
}

const selectors = ({ labelSelector, orLabelSelectors }: Backup['spec']): string =>
  plainLine(orLabelSelectors?.length ? orSelectorText(orLabelSelectors) : selectorText(labelSelector));

function itemsOf({ status }: Backup): string {
  const { itemsBackedUp = 0, totalItems = 0 } = status?.progress ?? {};
  return totalItems === 0 ? '' : itemsBackedUp >= totalItems ? String(totalItems) : `${itemsBackedUp}/${totalItems}`;
}

function operationsOf({ status }: Backup): string {
  const attempted = status?.backupItemOperationsAttempted ?? 0;
  const failed = status?.backupItemOperationsFailed ?? 0;
  if (attempted === 0) return '';
  const done = `${status?.backupItemOperationsCompleted ?? 0}/${attempted}`;
  return failed === 0 ? done : `${done}, ${failed} failed`;
}

/** Why it failed as a whole; `describe` names the rest. */
const causeOf = ({ status }: Backup): string =>
  plainLine(status?.failureReason || (status?.validationErrors ?? []).join('; '));
