import type { ActionContext } from './contract/action-context.ts';
import type { RestoreActionContext } from './contract/restore-item-action.ts';

type Read<C, T> = (context: C, signal: AbortSignal) => Promise<T>;

/**
 * Reads something once for all items of a backup. The result is released with the Backup object; after a failure the next call
 * reads again.
 */
export const perBackup = <T>(read: Read<ActionContext, T>): Read<ActionContext, T> =>
  oncePer(({ backup }) => backup, read);

/** The same for the items of a restore. */
export const perRestore = <T>(read: Read<RestoreActionContext, T>): Read<RestoreActionContext, T> =>
  oncePer(({ restore }) => restore, read);

function oncePer<C, T>(runOf: (context: C) => object, read: Read<C, T>): Read<C, T> {
  const readings = new WeakMap<object, Promise<T>>();
  return (context, signal) => {
    const run = runOf(context);
    const known = readings.get(run);
    if (known !== undefined) return known;
    const reading = read(context, signal);
    readings.set(run, reading);
    reading.catch(() => {
      if (readings.get(run) === reading) readings.delete(run);
    });
    return reading;
  };
}
