import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Lets all work run that waits only for promises: one turn of the event loop empties the microtask queue,
 * and the second turn runs what the callbacks of the first one started.
 */
export async function letWorkRun(): Promise<void> {
  await nextTurn();
  await nextTurn();
}
