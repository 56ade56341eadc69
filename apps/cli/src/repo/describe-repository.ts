import type { BackupRepository, CoreEvent, Job, RecentMaintenance } from '@lateen/api-types';
import { plainLine } from '@lateen/errors';
import { age } from '@lateen/kernel';
import { endCondition } from '@lateen/maintenance';
import { plainTable } from '../output/plain-table.ts';

export interface DescribedRepository {
  repository: BackupRepository;
  /** Jobs for this repository, including finished ones. */
  jobs: readonly Job[];
  events: readonly CoreEvent[];
}

/** The whole description of a repository as text; lines. */
export function describeRepository({ repository, jobs, events }: DescribedRepository, nowMs: number): string[] {
  const { metadata, spec, status } = repository;
  return [
    ...fields([
      ['Name', metadata.name],
      ['Namespace', metadata.namespace],
      ['Labels', pairs(metadata.labels)],
      ['Volume namespace', spec.volumeNamespace],
      ['Storage location', spec.backupStorageLocation],
      ['Type', spec.repositoryType],
      ['Identifier', spec.resticIdentifier],
      ['Settings', pairs(spec.repositoryConfig)],
      ['Status', status?.phase || 'New'],
      ['Message', status?.message],
      ['Maintenance every', spec.maintenanceFrequency],
      ['Last maintenance', status?.lastMaintenanceTime ?? '<never>'],
    ]),
    '',
    ...section('Recent maintenance', ['STARTED', 'TOOK', 'RESULT', 'MESSAGE'], recentRows(status?.recentMaintenance)),
    '',
    ...section('Jobs', ['NAME', 'STARTED', 'STATE'], jobRows(jobs)),
    '',
    ...section('Events', ['SEEN', 'TYPE', 'REASON', 'MESSAGE'], eventRows(events, nowMs)),
  ];
}

/** `Name:  value`, aligned; fields without a value are left out. */
function fields(rows: readonly (readonly [string, string | null | undefined])[]): string[] {
  const shown = rows.flatMap(([name, value]) => (value ? [[name, plainLine(value)] as const] : []));
  const width = Math.max(...shown.map(([name]) => name.length)) + 1;
  return shown.map(([name, value]) => `${`${name}:`.padEnd(width)}  ${value}`);
}

function section(name: string, head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [`${name}: none`];
  return [`${name}:`, ...plainTable(head, rows).map((line) => `  ${line}`)];
}

function pairs(record: Readonly<Record<string, string>> | null | undefined): string {
  return Object.entries(record ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');
}

/** The newest first. */
function recentRows(recent: readonly RecentMaintenance[] | undefined): string[][] {
  return (recent ?? []).toReversed().map(({ startTimestamp, completeTimestamp, result, message }) => {
    const tookMs = Date.parse(completeTimestamp ?? '') - Date.parse(startTimestamp ?? '');
    return [startTimestamp ?? '', Number.isNaN(tookMs) ? '' : age(tookMs), result ?? '', plainLine(message ?? '')];
  });
}

function jobRows(jobs: readonly Job[]): string[][] {
  return jobs
    .toSorted((a, b) => startOf(b).localeCompare(startOf(a), 'en'))
    .map((job) => {
      const end = endCondition(job);
      const state = end === undefined ? 'running' : [end.type, end.reason].filter(Boolean).join(': ');
      return [job.metadata.name ?? '', startOf(job), plainLine(state)];
    });
}

const startOf = ({ metadata, status }: Job): string => status?.startTime ?? metadata.creationTimestamp ?? '';

function eventRows(events: readonly CoreEvent[], nowMs: number): string[][] {
  return events
    .map((event) => ({ event, ms: Date.parse(event.lastTimestamp ?? event.eventTime ?? '') || nowMs }))
    .sort((a, b) => a.ms - b.ms)
    .map(({ event, ms }) => [
      `${age(nowMs - ms)} ago`,
      event.type ?? '',
      event.reason ?? '',
      plainLine(event.message ?? ''),
    ]);
}
