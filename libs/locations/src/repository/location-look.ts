import type { BackupStorageLocation } from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import { type Clock, type Logger, orAborted } from '@lateen/kernel';
import type { ObjectStore } from '@lateen/object-store';
import { type FormatLook, lookAtFormat, type RepositoryType } from '@lateen/repository';
import { type ReachPorts, type ResolvedLocation, readLocation } from '@lateen/storage-location';

export interface LocationLookOptions extends ReachPorts {
  clock: Clock;
  log: Logger;
}

/** A listing of 10,000 namespaces is ten requests. */
const listingMs = 60_000;
/** A store that does not give out a KiB in this time is not asked for more of them: a look holds a worker. */
const formatMs = 10_000;

/** What is found in the place of one location's repositories of one engine, for as long as the look counts. */
export interface LocationLook {
  /** On the monotonic clock. */
  readonly atMs: number;
  /** Namespaces with a repository; undefined when they could not be listed: then nothing is known. */
  readonly names: Promise<ReadonlySet<string> | undefined>;
  /** What is in a repository's format object just now; undefined when it could not be read. @throws the signal's reason only */
  format(volumeNamespace: string, signal: AbortSignal): Promise<FormatLook | undefined>;
}

interface Opened {
  store: ObjectStore;
  resolved: ResolvedLocation;
}

/**
 * Lists once, and reads one small object for each requested repository, all over one connection, which is closed
 * after `keptMs` or when `signal` aborts.
 */
export function lookInto(
  options: LocationLookOptions,
  location: BackupStorageLocation,
  { engine, keptMs, signal }: { engine: RepositoryType; keptMs: number; signal: AbortSignal },
): LocationLook {
  const { clock, log } = options;
  const opened = open(options, location, AbortSignal.any([signal, clock.deadline(listingMs)]));
  let isAnswering = true;
  const failed = (error: unknown) => {
    isAnswering = false;
    // The location's own validation says so where people look.
    log.debug({ location: location.metadata.name, reason: describeError(error) }, 'repositories could not be checked');
    return undefined;
  };
  void closeLater(opened, clock.sleep(keptMs + formatMs, signal));
  return {
    atMs: clock.monotonicMs(),
    names: opened.then((at) => list(at, engine, AbortSignal.any([signal, clock.deadline(listingMs)]))).catch(failed),
    format: async (volumeNamespace, asker) => {
      if (!isAnswering) return undefined;
      const either = AbortSignal.any([asker, clock.deadline(formatMs)]);
      try {
        const { store, resolved } = await opened;
        return await orAborted(lookAtFormat(store, resolved, { engine, volumeNamespace }, { signal: either }), either);
      } catch (error) {
        asker.throwIfAborted();
        return failed(error);
      }
    },
  };
}

async function open(
  { kube, listAccountKey, openStore }: LocationLookOptions,
  location: BackupStorageLocation,
  signal: AbortSignal,
): Promise<Opened> {
  const resolved = await readLocation(kube, location, { listAccountKey, signal });
  return { store: openStore(resolved), resolved };
}

async function list({ store, resolved }: Opened, engine: RepositoryType, signal: AbortSignal): Promise<Set<string>> {
  const prefix = `${resolved.prefix === '' ? '' : `${resolved.prefix}/`}${engine}/`;
  return new Set(await orAborted(store.listCommonPrefixes(prefix, { signal }), signal));
}

async function closeLater(opened: Promise<Opened>, over: Promise<void>): Promise<void> {
  await over.catch(() => {});
  // A repository that could not be opened is reported above.
  await opened.then(({ store }) => store.close()).catch(() => {});
}
