import { isAppError } from '@lateen/errors';
import type { LiveEngine } from '../engine/live-engine.ts';
import { type Outcomes, outcomesOf } from './outcomes.ts';

/** Errors that a replica answers before it has changed anything: it continues as before. */
const refusals = ['SNAPSHOT_NOT_FOUND', 'SIZE_REFUSED', 'NOT_POSSIBLE_NOW', 'NO_ROOM', 'ABORTED'];
const isRefusal = (error: unknown): boolean => refusals.some((code) => isAppError(error, code));

export interface Relinking {
  /** Aborts only with the engine: an abort between the old connection and the new one would fail every replica that has none then. */
  readonly signal: AbortSignal;
  /** Replicas that have carried it out read differently from those that have not. */
  readonly changesContent: boolean;
}

/**
 * While paused: ends the connection to each member, lets `act` change it, and reconnects. A replica that cannot be reached afterwards has failed and
 * leaves the set; where the content changes, so does a replica of which it is unknown whether it was changed, if there are others. A replica that
 * refused stays as it was, and its answer is among the outcomes.
 */
export function relinkAll(
  engine: LiveEngine,
  act: (name: string) => Promise<void>,
  { signal, changesContent }: Relinking,
): Promise<Outcomes> {
  const { replicas } = engine.parts;
  const { members } = engine;
  const mayDiffer = changesContent && members.length > 1;
  return outcomesOf(members, async (name) => {
    let refused: unknown;
    await engine.set.relink(name, async () => {
      await act(name).catch((error: unknown) => {
        if (mayDiffer && !isRefusal(error)) throw error;
        refused = error;
      });
      return replicas.connect(name, signal);
    });
    if (refused !== undefined) throw refused;
  });
}
