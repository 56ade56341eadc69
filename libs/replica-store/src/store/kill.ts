import type { LiveChain } from '../blocks/replica-blocks.ts';
import type { Call } from '../call.ts';
import { comparedRecord, killedRecord } from '../record/record-kill.ts';
import type { ReplicaRecord } from '../record/replica-record.ts';
import type { Replica } from './replica.ts';

/**
 * What the daemon has open. A chain that was served and is not open has been lost with its daemon: that is on disk before anybody
 * opens it again, because afterwards nobody can tell.
 */
export async function liveOrKilled(replica: Replica, o: Call): Promise<LiveChain | undefined> {
  const live = await replica.ports.blocks.live(o);
  if (live === undefined) await replica.change(killedRecord(replica.record));
  return live;
}

/**
 * The comparison of all replicas of this generation has ended, and this one was among them to the end: what a kill in an earlier
 * generation has taken from it is back. Said too late, or again, it changes nothing.
 */
export const noteCompared = (replica: Replica, generation: number, o: Call): Promise<ReplicaRecord> =>
  replica.exclusive(o, async () => {
    await liveOrKilled(replica, o);
    return replica.change(comparedRecord(replica.record, generation));
  });
