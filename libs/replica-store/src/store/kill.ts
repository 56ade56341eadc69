import type { LiveChain } from '../blocks/replica-blocks.ts';
import type { Call } from '../call.ts';
import { comparedRecord, killedRecord } from '../record/record-kill.ts';
import type { ReplicaRecord } from '../record/replica-record.ts';
import type { Replica } from './replica.ts';

/**
 * The chain that the daemon has open. A served chain that is not open was lost with its daemon: this is recorded on disk before any process
 * opens it again, because afterwards it cannot be determined.
 */
export async function liveOrKilled(replica: Replica, o: Call): Promise<LiveChain | undefined> {
  const live = await replica.ports.blocks.live(o);
  if (live === undefined) await replica.change(killedRecord(replica.record));
  return live;
}

/**
 * Records that all replicas of this generation, this one included, were compared: writes that a kill in an earlier
 * generation lost are restored. A late or repeated call changes nothing.
 */
export const noteCompared = (replica: Replica, generation: number, o: Call): Promise<ReplicaRecord> =>
  replica.exclusive(o, async () => {
    await liveOrKilled(replica, o);
    return replica.change(comparedRecord(replica.record, generation));
  });
