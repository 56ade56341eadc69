import { AppError, isAppError } from '@lateen/errors';
import type { Call } from '@lateen/replica-store';
import type { ReplicaEntry } from './replica-entry.ts';
import type { ReplicaHost } from './replica-host.ts';

/**
 * Takes over a replica whose daemon was started by an earlier program, in its turn. What it serves goes on under the same name; what reads
 * its snapshots is cut off. Never rejects but for the signal: what went wrong is on the board, and the next look tries again.
 */
export async function adoptReplica(host: ReplicaHost, entry: ReplicaEntry, o: Call): Promise<void> {
  const { processes, ports } = host;
  try {
    const kept = await processes.find(entry, o.signal);
    if (kept?.run !== entry.run || kept.health === 'gone') return await replicaEnded(host, entry, kept?.reason, o);
    await processes.adopt(entry, o.signal);
    const before = await entry.store.record(o);
    entry.generation = before.generation;
    const record = await entry.store.open(o);
    if (record.servedIn === 0 || record.servedIn !== record.generation) {
      // Whoever started it has died in between: the next call for it goes on.
      await entry.refresh(o);
      entry.tell('starting');
      return;
    }
    await entry.serve(record.generation, o).catch((error: unknown) => {
      // The key of the names has changed since: what is served is the same.
      if (!isAppError(error, 'EXPORT_EXISTS')) throw error;
    });
    await entry.refresh(o);
    entry.tell('running');
    ports.log.info({ replica: entry.is.name, generation: record.generation }, 'a replica that runs was taken over');
  } catch (error) {
    o.signal.throwIfAborted();
    ports.log.warn({ replica: entry.is.name, err: error }, 'a replica that runs cannot be taken over yet');
    // Its daemon may serve an engine: it is no error of the replica that we do not reach it.
    entry.tell(isAppError(error, 'REPLICA_LAGS') || isAppError(error, 'REPLICA_CORRUPT') ? 'error' : 'starting', error);
  }
}

/** Its daemon has ended, and nobody has asked for that: what was not flushed is gone, and the record says so from now on. */
export async function replicaEnded(
  { ports }: ReplicaHost,
  entry: ReplicaEntry,
  reason: string | undefined,
  o: Call,
): Promise<void> {
  entry.line.gone();
  try {
    await entry.store.close(o);
  } catch (error) {
    o.signal.throwIfAborted();
    ports.log.warn({ replica: entry.is.name, err: error }, 'the record of a replica cannot be read');
  }
  await entry.refresh(o);
  const { replica } = entry.instance();
  if (entry.generation === 0) entry.generation = replica?.promisedGeneration ?? 0;
  const message = `the storage daemon of ${entry.is.name} has ended${reason === undefined ? '' : `: ${reason}`}`;
  entry.tell(
    'error',
    new AppError('STORAGE_DAEMON_ENDED', message, { nextStep: `Look at its log in ${ports.places.logs}.` }),
  );
}
