import type { Backup } from '@lateen/api-types';

/** The form of names that a Schedule gives its backups (backup-and-restore.md section 8). */
const suffixed = /^(.+)-(\d{14})$/;

interface NameParts {
  base: string;
  /** The digits of the time; "" when the name has none. */
  time: string;
}

/** Sorts by name; names that differ only in the time at their end, newest first (cli.md section 8). */
export function sortBackups(backups: readonly Backup[]): Backup[] {
  return backups
    .map((backup) => ({ backup, parts: partsOf(backup.metadata.name ?? '') }))
    .sort((a, b) => compare(a.parts, b.parts))
    .map(({ backup }) => backup);
}

function partsOf(name: string): NameParts {
  const [, base = name, time = ''] = suffixed.exec(name) ?? [];
  return { base, time };
}

const compare = (a: NameParts, b: NameParts): number => order(a.base, b.base) || order(b.time, a.time);
/** By code points, as the API server orders names. */
const order = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
