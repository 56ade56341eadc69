import type { BackupStorageLocation } from '@lateen/api-types';
import { keyOf, keyText } from '@lateen/kube';
import type { FormatLook, RepositoryType } from '@lateen/repository';
import { placeFingerprint } from '@lateen/storage-location';
import { type LocationLook, type LocationLookOptions, lookInto } from './location-look.ts';
import { recheckMs } from './repository-pauses.ts';

/** One listing serves all repositories of a location for most of a round of looks. */
const keptMs = recheckMs * 0.8;

/** What a look into the bucket found of one repository. */
export interface Presence {
  found: 'present' | 'missing' | 'unknown';
  /** Of one that is present, as far as it could be read. */
  format?: FormatLook | undefined;
}

/**
 * Whether anything of a repository is left in the bucket, and whether the object that opens it is what it was. Opening each of
 * thousands every few minutes would cost more than all backups; one listing of their directories per location and one read of a KiB
 * for each does not.
 */
export class RepositoryPresence {
  readonly #options: LocationLookOptions;
  readonly #looks = new Map<string, LocationLook>();

  constructor(options: LocationLookOptions) {
    this.#options = options;
  }

  /** Looks that are remembered. */
  get size(): number {
    return this.#looks.size;
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
    const { engine, volumeNamespace, sinceMs } = repository;
    // Where restic's repositories are is then none of the location's own directories.
    if (engine === 'restic' && location.spec.config?.resticRepoPrefix) return { found: 'unknown' };
    const look = this.#lookInto(location, engine, signal);
    const names = await look.names;
    signal.throwIfAborted();
    if (names === undefined) return { found: 'unknown' };
    if (!names.has(volumeNamespace)) return { found: look.atMs > sinceMs ? 'missing' : 'unknown' };
    return { found: 'present', format: await look.format(volumeNamespace, signal) };
  }

  #lookInto(location: BackupStorageLocation, engine: RepositoryType, signal: AbortSignal): LocationLook {
    const key = `${keyText(keyOf(location))} ${engine} ${placeFingerprint(location)}`;
    const nowMs = this.#options.clock.monotonicMs();
    const known = this.#looks.get(key);
    if (known !== undefined && nowMs - known.atMs < keptMs) return known;
    for (const [each, { atMs }] of this.#looks) if (nowMs - atMs >= keptMs) this.#looks.delete(each);
    const look = lookInto(this.#options, location, { engine, keptMs, signal });
    this.#looks.set(key, look);
    return look;
  }
}
