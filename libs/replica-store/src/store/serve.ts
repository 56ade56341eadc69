import type { Call } from '../call.ts';
import { closedRecord, type Promised, promiseRecord } from '../record/record-promise.ts';
import type { ReplicaRecord } from '../record/replica-record.ts';
import { replicaError } from '../replica-error.ts';
import { inspectLayers } from './inspect.ts';
import type { Replica } from './replica.ts';
import { chainFiles } from './settle.ts';

/**
 * On disk before it answers; and no connection of an older generation is left when it does.
 * @throws AppError `GENERATION_OVER`
 */
export const promiseGeneration = (replica: Replica, promised: Promised, o: Call): Promise<ReplicaRecord> =>
  replica.exclusive(o, async () => {
    const { generation, engine } = replica.record;
    const next = promiseRecord(replica.record, promised);
    const isSame = generation === promised.generation && engine === promised.engine;
    // Cut first: a promise that is on disk keeps its export when it is asked for again, so none of before may be left by then.
    if (!isSame && (await replica.ports.blocks.live(o)) !== undefined) await replica.ports.blocks.unexportHead(o);
    return replica.change(next);
  });

/**
 * The daemon has the chain open afterwards. One that is open already is kept, with its export: whoever takes over a replica that runs
 * interrupts no engine. Readers of a store before this one are cut off: nobody holds merges off for them any more.
 */
export const openReplica = (replica: Replica, o: Call): Promise<ReplicaRecord> =>
  replica.exclusive(o, async () => {
    const { blocks, log } = replica.ports;
    const readers = await blocks.layerExports(o);
    replica.pins.keepOnly(readers);
    for (const name of readers) if (!replica.pins.has(name)) await blocks.unexportLayer(name, o);
    if ((await blocks.live(o)) !== undefined) return replica.record;
    const { record, leakedClusters } = await inspectLayers(blocks, replica.record, o);
    if (leakedClusters !== undefined)
      log.warn({ leakedClusters }, 'the replica was not closed in order; its head is sound');
    await blocks.open(chainFiles(record), o);
    return record;
  });

/** Gives the head under this name, for writing. @throws AppError `GENERATION_OVER` when another one has been promised */
export const serveHead = (replica: Replica, wanted: { generation: number; name: string }, o: Call): Promise<void> =>
  replica.exclusive(o, async () => {
    const { generation, engine } = replica.record;
    if (generation !== wanted.generation) {
      throw replicaError('GENERATION_OVER', `${replica.record.replica} is promised to ${engine} for ${generation}`, {
        nextStep: 'Nothing to do: the volume is served by the newer engine.',
      });
    }
    await replica.ports.blocks.exportHead(wanted.name, o);
  });

/**
 * Nothing serves or holds the files afterwards. Where the chain was open until now, the next open need not look for what a kill has left;
 * where its daemon had ended before, nobody knows that all of it was written.
 */
export const closeReplica = (replica: Replica, o: Call): Promise<void> =>
  replica.exclusive(o, async () => {
    const { blocks } = replica.ports;
    const wasOpen = (await blocks.live(o)) !== undefined;
    if (wasOpen) {
      await blocks.unexportHead(o);
      for (const name of await blocks.layerExports(o)) await blocks.unexportLayer(name, o);
      await blocks.close(o);
    }
    await replica.tidy(o);
    if (wasOpen) await replica.change(closedRecord(replica.record));
  });
