import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Lets everything run that waits for nothing but promises: one turn of the event loop empties the whole queue of
 * microtasks, the second catches what the first turn's callbacks started.
 */
export async function letWorkRun(): Promise<void> {
  await nextTurn();
  await nextTurn();
}
