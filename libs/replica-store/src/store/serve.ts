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
 * Promises the generation. When it resolves, the promise is on disk and no connection of an older generation is left.
 * @throws AppError `GENERATION_OVER`
 */
export const promiseGeneration = (replica: Replica, promised: Promised, o: Call): Promise<ReplicaRecord> =>
  replica.exclusive(o, async () => {
    const { generation, engine } = replica.record;
    promiseRecord(replica.record, promised) satisfies object; // Refuses before any connection is cut.
    const isSame = generation === promised.generation && engine === promised.engine;
    // Connections are cut first: a repeated promise that is on disk already keeps its export, so no older connection may be left
    // by then.
    if ((await liveOrKilled(replica, o)) !== undefined && !isSame) await replica.ports.blocks.unexportHead(o);
    return isSame ? replica.record : replica.change(promiseRecord(replica.record, promised));
  });

/**
 * Makes the daemon open the chain. A chain that is open already is kept, with its export: taking over a running replica does not
 * interrupt its engine. Readers of an earlier store are cut off, because nothing holds back merges for them any more.
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
        'the replica was not closed cleanly; its head is intact, but may lack what was not flushed',
      );
    const killed = killedRecord(replica.record);
    await replica.change(await withLengths(folder, killed, killed.layers));
    await blocks.open(chainFiles(replica.record), o);
    return replica.record;
  });

/**
 * Exports the head writable under this name.
 * @throws AppError `GENERATION_OVER` when another generation has been promised; `REPLICA_LAGS` when its daemon was killed while
 * it served this generation: writes that its engine saw acknowledged may be missing
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
 * Closes the replica: afterwards nothing serves its files or has them open. If the chain was open and could be flushed, no write
 * is missing. Otherwise it is unknown whether all writes reached the disk, and the next open treats the replica as one whose
 * daemon was killed.
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
 * The record of a replica whose head is on disk; undefined when the head could not be flushed. The flush is a call of its own,
 * because a daemon that closes an image does not report a write that fails during the close.
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
