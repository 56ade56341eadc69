import { AppError, isAppError } from '@lateen/errors';
import type { Call } from '@lateen/replica-store';
import type { ReplicaEntry } from './replica-entry.ts';
import type { ReplicaHost } from './replica-host.ts';

/**
 * Takes over a replica whose daemon an earlier program started; runs in the replica's queue. Its head stays exported under the same name; readers of
 * its snapshots are cut off. Rejects only for the signal: a problem is shown on the board, and the next pass retries.
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
      // The program that started it died in between: the next call for it continues.
      await entry.refresh(o);
      entry.tell('starting');
      return;
    }
    await entry.serve(record.generation, o).catch((error: unknown) => {
      // The key for names has changed since; the exported head is the same.
      if (!isAppError(error, 'EXPORT_EXISTS')) throw error;
    });
    await entry.refresh(o);
    entry.tell('running');
    ports.log.info({ replica: entry.is.name, generation: record.generation }, 'a replica that runs was taken over');
  } catch (error) {
    o.signal.throwIfAborted();
    ports.log.warn({ replica: entry.is.name, err: error }, 'a replica that runs cannot be taken over yet');
    // Its daemon may serve an engine: that we cannot reach it is not an error of the replica.
    entry.tell(isAppError(error, 'REPLICA_LAGS') || isAppError(error, 'REPLICA_CORRUPT') ? 'error' : 'starting', error);
  }
}

/** Its daemon has ended unexpectedly: unflushed writes are lost, and the record says so from now on. */
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
    new AppError('STORAGE_DAEMON_ENDED', message, { nextStep: `See its log in ${ports.places.logs}.` }),
  );
}
