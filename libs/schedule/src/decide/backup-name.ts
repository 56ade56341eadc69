/** `-20260101020000` after the name of the schedule. */
export const backupTimeLength = 15;

/** A Backup is named after its schedule and a time in UTC (backup-and-restore.md section 8). */
export function backupName(schedule: string, atMs: number): string {
  return `${schedule}-${new Date(atMs)
    .toISOString()
    .replace(/\D/g, '')
    .slice(0, backupTimeLength - 1)}`;
}

/** The time in such a name, in ms since the epoch; undefined for any other name. */
export function timeInBackupName(schedule: string, name: string): number | undefined {
  if (!name.startsWith(`${schedule}-`)) return undefined;
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(name.slice(schedule.length + 1)) ?? [];
  if (second === undefined) return undefined;
  const atMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(atMs) ? undefined : atMs;
}
