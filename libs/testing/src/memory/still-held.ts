import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Rounds of the event loop: what a WeakRef was made for stays until the job ends that made it. */
const rounds = 3;

/**
 * How many of what was made are still reachable, once everything that can go is gone. The last one or two of a loop may be:
 * they are still on its stack.
 */
export async function stillHeld(made: readonly WeakRef<object>[]): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  for (let round = 0; round < rounds; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  return made.filter((each) => each.deref() !== undefined).length;
}
