import { isAppError } from '@lateen/errors';
import type { LiveEngine } from '../engine/live-engine.ts';
import { type Outcomes, outcomesOf } from './outcomes.ts';

/** What a replica answers before it has touched anything: it goes on as it was. */
const refusals = ['SNAPSHOT_NOT_FOUND', 'SIZE_REFUSED', 'NOT_POSSIBLE_NOW', 'NO_ROOM', 'ABORTED'];
export const isRefusal = (error: unknown): boolean => refusals.some((code) => isAppError(error, code));

/**
 * While paused: ends the connection to each of these replicas, lets `act` change it, and connects anew. One that cannot be reached
 * afterwards, or of which nobody knows what it has done, has failed and leaves the set. One that has refused stays as it was.
 */
export function relinkAll(
  engine: LiveEngine,
  names: readonly string[],
  act: (name: string) => Promise<void>,
  signal: AbortSignal,
): Promise<Outcomes> {
  const { replicas } = engine.parts;
  return outcomesOf(names, async (name) => {
    let refused: unknown;
    await engine.set.relink(name, async () => {
      await act(name).catch((error: unknown) => {
        if (!isRefusal(error)) throw error;
        refused = error;
      });
      return replicas.connect(name, signal);
    });
    if (refused !== undefined) throw refused;
  });
}
