import { type Backup, backupLabels, type Snapshot } from '@lateen/storage-types';

/** Snapshots or backups of one volume that a job made, those that are being deleted left out. */
export const madeBy = <T extends Snapshot | Backup>(job: string, made: readonly T[]): readonly T[] =>
  made.filter(
    ({ metadata, spec, status }) =>
      metadata.deletionTimestamp === undefined &&
      (spec.labels?.[backupLabels.recurringJob] ?? status?.labels?.[backupLabels.recurringJob]) === job,
  );

export const isTaken = ({ status }: Snapshot): boolean =>
  (status?.creationTime ?? '') !== '' && (status?.error ?? '') === '' && status?.markRemoved !== true;

/**
 * Names beyond the newest `retain`. Only complete ones count, so that a failed one does not displace a good one.
 */
export function beyond<T extends Snapshot | Backup>(whole: readonly T[], retain: number): readonly string[] {
  const newestFirst = whole.toSorted((a, b) => timeOf(b) - timeOf(a) || (nameOf(a) < nameOf(b) ? -1 : 1));
  return newestFirst.slice(Math.max(retain, 0)).map(nameOf).sort();
}

const nameOf = ({ metadata }: Snapshot | Backup): string => metadata.name ?? '';

export function timeOf({ metadata, status }: Snapshot | Backup): number {
  const made = status !== undefined && 'creationTime' in status ? status.creationTime : undefined;
  const stored = status !== undefined && 'snapshotCreatedAt' in status ? status.snapshotCreatedAt : undefined;
  const ms = Date.parse(made || stored || metadata.creationTimestamp || '');
  return Number.isNaN(ms) ? 0 : ms;
}
