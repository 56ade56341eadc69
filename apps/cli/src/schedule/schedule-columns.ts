import { annotations, type Schedule } from '@lateen/api-types';
import { plainLine } from '@lateen/errors';
import { age } from '@lateen/kernel';
import { timeMs } from '@lateen/operations/volume';
import type { ResourceColumn } from '../output/resource-table.ts';
import { orSelectorText, selectorText } from '../output/selector-text.ts';
import { nextRun } from './next-run.ts';

/** Velero's columns (cli.md section 8); with `-o wide` also the most important details. @param nowMs since the epoch */
export function scheduleColumns(nowMs: number): readonly ResourceColumn<Schedule>[] {
  return [
    { head: 'NAME', cell: ({ metadata }) => metadata.name ?? '' },
    { head: 'STATUS', cell: ({ status }) => status?.phase || 'New' },
    { head: 'CREATED', cell: ({ metadata }) => metadata.creationTimestamp ?? '' },
    { head: 'SCHEDULE', cell: ({ spec }) => plainLine(spec.schedule) },
    { head: 'BACKUP TTL', cell: ({ spec }) => spec.template.ttl ?? '0s' },
    { head: 'LAST BACKUP', cell: ({ status }) => ago(status?.lastBackup, nowMs) },
    { head: 'SELECTOR', cell: selectorsOf },
    { head: 'PAUSED', cell: ({ spec }) => String(spec.paused === true) },
    { head: 'NEXT BACKUP', cell: (schedule) => nextRun(schedule, nowMs) ?? '', wide: true },
    { head: 'KEEP AT LEAST', cell: noted(annotations.keepAtLeast), wide: true },
    { head: 'JITTER', cell: noted(annotations.jitter), wide: true },
    { head: 'MESSAGE', cell: ({ status }) => plainLine((status?.validationErrors ?? []).join('; ')), wide: true },
  ];
}

function ago(timestamp: string | null | undefined, nowMs: number): string {
  const atMs = timeMs(timestamp);
  return atMs === undefined ? 'n/a' : `${age(nowMs - atMs)} ago`;
}

const selectorsOf = ({ spec: { template } }: Schedule): string =>
  plainLine(
    template.orLabelSelectors?.length
      ? orSelectorText(template.orLabelSelectors)
      : selectorText(template.labelSelector),
  );

const noted =
  (annotation: string) =>
  ({ metadata }: Schedule): string =>
    plainLine(metadata.annotations?.[annotation] ?? '');
