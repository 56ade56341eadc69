import { annotations, type Backup, type Schedule } from '@lateen/api-types';

/** How many good backups of a schedule are kept whatever their TTL (docs/adr/0033). */
export type KeepAtLeast = { kind: 'none' } | { kind: 'newest'; count: number } | { kind: 'unreadable'; text: string };

const noneKept: KeepAtLeast = { kind: 'none' };

/**
 * The value of the Schedule; if the Schedule is gone, its value when its newest completed backup was made. So deleting a Schedule, or
 * reading its bucket from another cluster, does not delete the last backups.
 */
export function keepAtLeast(schedule: Schedule | undefined, backups: readonly Backup[]): KeepAtLeast {
  const source = schedule ?? newestFirst(backups.filter(isGood))[0];
  const text = source?.metadata.annotations?.[annotations.keepAtLeast];
  if (text === undefined || text === '') return noneKept;
  if (!/^\d{1,6}$/.test(text)) return { kind: 'unreadable', text: text.slice(0, 40) };
  return Number(text) === 0 ? noneKept : { kind: 'newest', count: Number(text) };
}

/**
 * Whether a backup is one that has to stay. Only good ones count and stay: those that failed in part expire as they say. A number that
 * cannot be read keeps all of them: what was deleted does not come back.
 * @param backups all of its schedule, itself among them
 */
export function isKept(backup: Backup, keep: KeepAtLeast, backups: readonly Backup[]): boolean {
  if (keep.kind === 'none' || !isGood(backup)) return false;
  if (keep.kind === 'unreadable') return true;
  const kept = newestFirst(backups.filter(isGood)).slice(0, keep.count);
  return kept.some(({ metadata }) => metadata.name === backup.metadata.name);
}

const isGood = ({ status, metadata }: Backup): boolean =>
  status?.phase === 'Completed' && metadata.deletionTimestamp === undefined;

/** By when they were begun: a Backup that was found in a bucket was created later. */
function newestFirst(backups: readonly Backup[]): Backup[] {
  return backups.toSorted((a, b) => begunMs(b) - begunMs(a) || compare(b.metadata.name ?? '', a.metadata.name ?? ''));
}

const begunMs = ({ status, metadata }: Backup): number =>
  Date.parse(status?.startTimestamp ?? metadata.creationTimestamp ?? '') || 0;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
