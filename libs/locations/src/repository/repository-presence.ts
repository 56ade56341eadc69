import type { BackupStorageLocation } from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import type { Clock, Logger } from '@lateen/kernel';
import { keyOf, keyText } from '@lateen/kube';
import { type RepositoryType, readLocation } from '@lateen/repository';
import { placeFingerprint } from '../fingerprint.ts';
import { orAborted } from '../or-aborted.ts';
import type { ReachPorts } from '../reach-ports.ts';
import { recheckMs } from './repository-pauses.ts';

export interface RepositoryPresenceOptions extends ReachPorts {
  clock: Clock;
  log: Logger;
}

/** One listing serves all repositories of a location for most of a round of looks. */
const keptMs = recheckMs * 0.8;
/** A listing of 10,000 namespaces is ten requests. */
const listingMs = 60_000;

export type Presence = 'present' | 'missing' | 'unknown';

interface Listing {
  atMs: number;
  /** Undefined when it failed: then nothing is known. */
  names: Promise<ReadonlySet<string> | undefined>;
}

/**
 * Whether anything of a repository is left in the bucket. Opening each of thousands every few minutes would cost more than all
 * backups; one listing of their directories per location does not.
 */
export class RepositoryPresence {
  readonly #options: RepositoryPresenceOptions;
  readonly #listings = new Map<string, Listing>();

  constructor(options: RepositoryPresenceOptions) {
    this.#options = options;
  }

  /** Listings that are remembered. */
  get size(): number {
    return this.#listings.size;
  }

  /**
   * What a listing that was made after `sinceMs`, on the monotonic clock, found. One may be minutes old: a repository that was made
   * since is not in it. @throws the signal's reason only
   */
  async look(
    location: BackupStorageLocation,
    repository: { engine: RepositoryType; volumeNamespace: string; sinceMs: number },
    signal: AbortSignal,
  ): Promise<Presence> {
    // Where restic's repositories are is then none of the location's own directories.
    if (repository.engine === 'restic' && location.spec.config?.resticRepoPrefix) return 'unknown';
    const key = `${keyText(keyOf(location))} ${repository.engine} ${placeFingerprint(location)}`;
    const nowMs = this.#options.clock.monotonicMs();
    let listing = this.#listings.get(key);
    if (listing === undefined || nowMs - listing.atMs >= keptMs) {
      this.#forget(nowMs);
      listing = { atMs: nowMs, names: this.#list(location, repository.engine, signal) };
      this.#listings.set(key, listing);
    }
    const names = await listing.names;
    signal.throwIfAborted();
    if (names === undefined) return 'unknown';
    if (names.has(repository.volumeNamespace)) return 'present';
    return listing.atMs > repository.sinceMs ? 'missing' : 'unknown';
  }

  async #list(location: BackupStorageLocation, engine: RepositoryType, signal: AbortSignal) {
    const { kube, listAccountKey, openStore, clock, log } = this.#options;
    const either = AbortSignal.any([signal, clock.deadline(listingMs)]);
    try {
      const resolved = await readLocation(kube, location, { listAccountKey, signal: either });
      const prefix = `${resolved.prefix === '' ? '' : `${resolved.prefix}/`}${engine}/`;
      const store = openStore(resolved);
      try {
        return new Set(await orAborted(store.listCommonPrefixes(prefix, { signal: either }), either));
      } finally {
        await store.close();
      }
    } catch (error) {
      // The location's own validation says so where people look.
      log.debug({ location: location.metadata.name, reason: describeError(error) }, 'repositories could not be listed');
      return undefined;
    }
  }

  #forget(nowMs: number): void {
    for (const [key, { atMs }] of this.#listings) if (nowMs - atMs >= keptMs) this.#listings.delete(key);
  }
}
