import { AppError, isAppError } from '@lateen/errors';
import { type Clock, eachAtOnce, type Logger, type Random } from '@lateen/kernel';
import type { ContentKeys } from './content-keys.ts';
import type { ContentLocation } from './content-location.ts';
import { contentMissing } from './content-missing.ts';
import { contentDecoder, type DecodeContent } from './decode-content.ts';
import { formatBlobId, openFormatObject } from './format-object.ts';
import type { ContentIndex } from './index-blobs/content-index.ts';
import type { IndexFile } from './index-blobs/index-file.ts';
import { IndexKeeper } from './index-blobs/index-keeper.ts';
import { type IndexPorts, loadIndex } from './index-blobs/load-index.ts';
import type { KopiaRepository } from './kopia-repository.ts';
import type { Manifest } from './manifests/manifest.ts';
import { latestManifests, type ManifestVersion, manifestsIn } from './manifests/manifest-content.ts';
import { rangeOf } from './range-of.ts';
import { repositoryFormat } from './repository-format.ts';
import type { RepositoryStore } from './repository-store.ts';

/** The bytes of one content as they are stored. */
export type ReadPacked = (location: ContentLocation, signal: AbortSignal) => Promise<Uint8Array>;

export interface OpenKopiaRepositoryOptions extends RepositoryStore {
  password: string;
  /** Of the repository, for messages: bucket and prefix, say. */
  name: string;
  /** The bytes of single contents as they are stored; `PackReader.readOne` reads more at once. By default one request each. */
  readPacked?: ReadPacked | undefined;
  /** For index files; they have no names there, so nothing is left behind. When it is full, the store is read instead. */
  scratchDirectory: string;
  /** Of index files kept in memory; larger ones lie on scratch. */
  memoryBytes: number;
  clock: Clock;
  random: Random;
  log: Logger;
}

const manifestsAtOnce = 8;

/**
 * Opens a repository with its password and reads its index.
 * @throws AppError REPOSITORY_NOT_FOUND, REPOSITORY_CORRUPTED, REPOSITORY_PASSWORD_WRONG, INDEX_CORRUPT, and
 * REPOSITORY_FORMAT_UNSUPPORTED for what the engine may know and this reader does not
 */
export async function openKopiaRepository(
  options: OpenKopiaRepositoryOptions,
  signal: AbortSignal,
): Promise<KopiaRepository> {
  const { store, keyOf, listPrefix, password, name, clock, random } = options;
  const object = await store.get(keyOf(formatBlobId), { signal }).catch((error: unknown) => {
    throw isAppError(error, 'OBJECT_NOT_FOUND') ? notFound(name, error) : error;
  });
  const format = repositoryFormat(await openFormatObject(object, password, name));
  const repository = { store, keyOf, listPrefix };
  const { scratchDirectory, memoryBytes, log } = options;
  const keeper = new IndexKeeper({ repository, keys: format.keys, scratchDirectory, memoryBytes, random, log });
  const ports: IndexPorts = { repository, format, keeper, clock, random };
  const index = await loadIndex(ports, undefined, signal);
  const decode = await contentDecoder(format.keys);
  return new OpenRepository(
    ports,
    index,
    decode,
    options.readPacked ?? ((location, ends) => rangeOf(options, location.packId, location, ends)),
  );
}

class OpenRepository implements KopiaRepository {
  readonly keys: ContentKeys;
  readonly #ports: IndexPorts;
  readonly #decode: DecodeContent;
  readonly #readPacked: ReadPacked;
  /** All open ones: an outdated one may still be read. */
  readonly #files = new Set<IndexFile>();
  #index: ContentIndex;
  #refreshing: Promise<void> | undefined;

  constructor(ports: IndexPorts, index: ContentIndex, decode: DecodeContent, readPacked: ReadPacked) {
    this.#ports = ports;
    this.#index = index;
    this.#decode = decode;
    this.#readPacked = readPacked;
    this.keys = ports.format.keys;
    this.#use(index);
  }

  async locate(contentIds: readonly string[], signal: AbortSignal): Promise<(ContentLocation | undefined)[]> {
    const locations = await this.#located(contentIds, signal);
    const missing = contentIds.flatMap((_, at) => (locations[at] === undefined ? [at] : []));
    if (missing.length === 0) return locations;
    await this.refresh(signal);
    const ids = missing.map((at) => contentIds[at] ?? '');
    for (const [which, location] of (await this.#index.locate(ids, signal)).entries())
      locations[missing[which] ?? 0] = location;
    return locations;
  }

  get contentsMax(): number {
    return this.#index.entryCount;
  }

  allContents(wanted: (packId: string) => boolean, signal: AbortSignal): AsyncIterable<ContentLocation[]> {
    return this.#index.all(wanted, signal);
  }

  async readContent(contentId: string, signal: AbortSignal): Promise<Uint8Array> {
    const [location] = await this.locate([contentId], signal);
    if (location === undefined) throw contentMissing(contentId);
    return this.#read(location, signal);
  }

  async findManifests(labels: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Manifest[]> {
    const wanted = Object.entries(labels);
    const all = await this.#allManifests(signal);
    return all.filter((manifest) => wanted.every(([label, value]) => manifest.labels[label] === value));
  }

  async manifest(id: string, signal: AbortSignal): Promise<Manifest> {
    const found = (await this.#allManifests(signal)).find((manifest) => manifest.id === id);
    if (found === undefined)
      throw new AppError('MANIFEST_NOT_FOUND', `there is no manifest ${id} in the repository`, { details: { id } });
    return found;
  }

  refresh(signal: AbortSignal): Promise<void> {
    this.#refreshing ??= this.#load(signal).finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#files].map((file) => file.close()));
  }

  async #located(contentIds: readonly string[], signal: AbortSignal): Promise<(ContentLocation | undefined)[]> {
    try {
      return await this.#index.locate(contentIds, signal);
    } catch (error) {
      // An index blob that is read from the store was compacted away.
      if (!isAppError(error, 'OBJECT_NOT_FOUND')) throw error;
      await this.refresh(signal);
      return this.#index.locate(contentIds, signal);
    }
  }

  /** Maintenance may have moved it to another pack. */
  async #read(location: ContentLocation, signal: AbortSignal): Promise<Uint8Array> {
    try {
      return this.#decode(location, await this.#readPacked(location, signal));
    } catch (error) {
      if (!isAppError(error, 'OBJECT_NOT_FOUND')) throw error;
      await this.refresh(signal);
      const [moved] = await this.#index.locate([location.contentId], signal);
      if (moved === undefined || moved.packId === location.packId) throw error;
      return this.#decode(moved, await this.#readPacked(moved, signal));
    }
  }

  async #load(signal: AbortSignal): Promise<void> {
    this.#use(await loadIndex(this.#ports, this.#index, signal));
  }

  #use(index: ContentIndex): void {
    this.#index = index;
    for (const file of index.files) this.#files.add(file);
  }

  async #allManifests(signal: AbortSignal): Promise<Manifest[]> {
    const versions: ManifestVersion[] = [];
    const contents = await this.#index.withLetter('m', signal);
    await eachAtOnce(contents, manifestsAtOnce, async (location) => {
      const content = await this.#read(location, signal);
      for (const version of manifestsIn(location.contentId, content)) versions.push(version);
    });
    return latestManifests(versions);
  }
}

const notFound = (name: string, cause: unknown) =>
  new AppError('REPOSITORY_NOT_FOUND', `there is no repository at ${name}`, {
    retry: 'later',
    cause,
    nextStep: 'Check that the bucket exists and that the BackupRepository of this namespace is Ready.',
  });
