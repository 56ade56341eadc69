import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Rounds of the event loop: the target of a new WeakRef stays alive until the current job ends. */
const rounds = 3;

/**
 * The number of objects that are still reachable after garbage collection. The last one or two of a loop may be: they are
 * still on its stack.
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
