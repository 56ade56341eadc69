import type { Call } from '../call.ts';
import { headOf } from '../record/layer-tree.ts';
import { closedRecord, killedRecord, servedRecord } from '../record/record-kill.ts';
import { type Promised, promiseRecord } from '../record/record-promise.ts';
import type { ReplicaRecord } from '../record/replica-record.ts';
import { inspectLayers } from './inspect.ts';
import { liveOrKilled } from './kill.ts';
import { withLengths } from './lengths.ts';
import type { Replica } from './replica.ts';
import { chainFiles } from './settle.ts';
import { needsOpen } from './snapshots.ts';

/**
 * On disk before it answers; and no connection of an older generation is left when it does.
 * @throws AppError `GENERATION_OVER`
 */
export const promiseGeneration = (replica: Replica, promised: Promised, o: Call): Promise<ReplicaRecord> =>
  replica.exclusive(o, async () => {
    const { generation, engine } = replica.record;
    promiseRecord(replica.record, promised) satisfies object; // Refused before anything is cut.
    const isSame = generation === promised.generation && engine === promised.engine;
    // Cut first: a promise that is on disk keeps its export when it is asked for again, so none of before may be left by then.
    if ((await liveOrKilled(replica, o)) !== undefined && !isSame) await replica.ports.blocks.unexportHead(o);
    return isSame ? replica.record : replica.change(promiseRecord(replica.record, promised));
  });

/**
 * The daemon has the chain open afterwards. One that is open already is kept, with its export: whoever takes over a replica that runs
 * interrupts no engine. Readers of a store before this one are cut off: nobody holds merges off for them any more.
 */
export const openReplica = (replica: Replica, o: Call): Promise<ReplicaRecord> =>
  replica.exclusive(o, async () => {
    const { blocks, folder, log } = replica.ports;
    const readers = await blocks.layerExports(o);
    replica.pins.keepOnly(readers);
    for (const name of readers) if (!replica.pins.has(name)) await blocks.unexportLayer(name, o);
    if ((await blocks.live(o)) !== undefined) return replica.record;
    const { leakedClusters } = await inspectLayers(replica.ports, replica.record, o);
    if (leakedClusters !== undefined)
      log.warn(
        { leakedClusters },
        'the replica was not closed in order; its head is sound, but may lack what was not flushed',
      );
    const killed = killedRecord(replica.record);
    await replica.change(await withLengths(folder, killed, killed.layers));
    await blocks.open(chainFiles(replica.record), o);
    return replica.record;
  });

/**
 * Gives the head under this name, for writing.
 * @throws AppError `GENERATION_OVER` when another one has been promised; `REPLICA_LAGS` when its daemon ended while it served this
 * generation: its engine has been answered what is not there any more
 */
export const serveHead = (replica: Replica, wanted: { generation: number; name: string }, o: Call): Promise<void> =>
  replica.exclusive(o, async () => {
    await liveOrKilled(replica, o);
    const next = servedRecord(replica.record, wanted.generation);
    await needsOpen(replica, o);
    await replica.change(next);
    await replica.ports.blocks.exportHead(wanted.name, o);
  });

/**
 * Nothing serves or holds the files afterwards. Where the chain was open until now and could be flushed, nothing of it is missing; else
 * nobody knows that all of it was written, and the next open takes it for one whose daemon was killed.
 */
export const closeReplica = (replica: Replica, o: Call): Promise<void> =>
  replica.exclusive(o, async () => {
    const { blocks } = replica.ports;
    if ((await liveOrKilled(replica, o)) !== undefined) {
      await blocks.unexportHead(o);
      for (const name of await blocks.layerExports(o)) await blocks.unexportLayer(name, o);
      const closed = await flushedRecord(replica, o);
      if (closed !== undefined) await replica.change(closed);
      await blocks.close(o);
    }
    await replica.tidy(o);
  });

/**
 * The record of one whose head is on disk; undefined when that cannot be had. Asked for by itself: a daemon that closes an image reports
 * nothing of a write that fails in it.
 */
async function flushedRecord({ record, ports }: Replica, o: Call): Promise<ReplicaRecord | undefined> {
  try {
    if (record.servedIn > 0) await ports.blocks.flush(o);
    return await withLengths(ports.folder, closedRecord(record), [headOf(record)]);
  } catch (error) {
    if (o.signal.aborted) throw error;
    ports.log.warn({ err: error }, 'the head cannot be flushed; the replica is closed without that');
    return undefined;
  }
}
