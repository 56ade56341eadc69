import type { ActionContext } from './contract/action-context.ts';

/**
 * Reads something once for all items of a backup. It goes with the backup; a reading that failed is tried again by the next
 * that asks.
 */
export function perBackup<T>(
  read: (context: ActionContext, signal: AbortSignal) => Promise<T>,
): (context: ActionContext, signal: AbortSignal) => Promise<T> {
  const readings = new WeakMap<ActionContext['backup'], Promise<T>>();
  return (context, signal) => {
    const known = readings.get(context.backup);
    if (known !== undefined) return known;
    const reading = read(context, signal);
    readings.set(context.backup, reading);
    reading.catch(() => {
      if (readings.get(context.backup) === reading) readings.delete(context.backup);
    });
    return reading;
  };
}
