import { createHash } from 'node:crypto';
import { AppError } from '@lateen/errors';
import type { Random } from '@lateen/kernel';
import { chunkCount, parseObjectId, readObject } from '@lateen/kopia-format';
import type { SnapshotIdentity } from '@lateen/repository';
import type { FoundManifest, ServerSession, StoredManifest } from './client/server-session.ts';
import { sessionLost } from './client/session-errors.ts';
import { storeSnapshot } from './splice/store-snapshot.ts';
import { writeChunks } from './splice/write-chunks.ts';
import { writeChunkList } from './stored/piece-list.ts';

/** What a server has not written to the store yet. */
interface Pending {
  contents: Map<string, Uint8Array>;
  manifests: Map<string, StoredManifest>;
  deleted: Set<string>;
}

/** Of a snapshot that is taken whole. */
export interface WholeSnapshot {
  source: SnapshotIdentity;
  chunkBytes: number;
  startMs: number;
  fileName: string;
}

/**
 * A repository in memory, for tests: sessions as `openServerSession` makes them, which are lost at any call with the chance `lossRate`,
 * with the request done or not, and with any part of what was not flushed kept or lost.
 */
export class MemoryRepository {
  readonly contents = new Map<string, Uint8Array>();
  readonly manifests = new Map<string, StoredManifest>();
  /** Bytes of contents that were not there before. */
  storedBytes = 0;
  opened = 0;
  lossRate = 0;
  /** How many bytes of contents fit into the store; a flush that needs more fails with OBJECT_STORE_FULL. */
  roomBytes = Number.POSITIVE_INFINITY;
  #count = 0;
  readonly #random: Pick<Random, 'next'>;

  constructor(random: Pick<Random, 'next'>) {
    this.#random = random;
  }

  open = async (): Promise<ServerSession> => {
    this.opened += 1;
    const over = new AbortController();
    const pending: Pending = { contents: new Map(), manifests: new Map(), deleted: new Set() };
    const request = async <T>(act: () => T): Promise<T> => {
      over.signal.throwIfAborted();
      await Promise.resolve();
      over.signal.throwIfAborted();
      if (this.#random.next() >= this.lossRate) return act();
      if (this.#random.next() < 0.5) act();
      this.#keepSome(pending);
      over.abort(sessionLost('lost by the test'));
      throw over.signal.reason;
    };
    const all = (): StoredManifest[] =>
      [...this.manifests.values(), ...pending.manifests.values()].filter(({ id }) => !pending.deleted.has(id));
    return {
      parameters: { splitter: 'FIXED-4M', hashFunction: 'BLAKE2B-256-128', supportsContentCompression: true },
      over: over.signal,
      writeContent: ({ prefix, data }) => request(() => this.#write(pending, prefix, data)),
      getContent: (id) =>
        request(() => found(this.contents.get(id) ?? pending.contents.get(id), 'CONTENT_MISSING', id)),
      findManifests: (labels) => request(() => all().filter((manifest) => hasAll(manifest, labels))),
      getManifest: (id) =>
        request(() =>
          found(
            all().find((manifest) => manifest.id === id),
            'SNAPSHOT_NOT_FOUND',
            id,
          ),
        ),
      putManifest: (manifest) => request(() => this.#put(pending, manifest)),
      deleteManifest: (id) => request(() => void pending.deleted.add(id)),
      flush: () => request(() => this.#flush(pending)),
      close: async () => over.abort(sessionLost('closed')),
    };
  };

  /** A whole snapshot of a block volume, as the engine's own upload leaves it. @returns its ID @throws OBJECT_STORE_FULL */
  async takeWhole(volume: Uint8Array, { source, chunkBytes, startMs, fileName }: WholeSnapshot): Promise<string> {
    const { lossRate } = this;
    this.lossRate = 0;
    const session = await this.open().finally(() => {
      this.lossRate = lossRate;
    });
    const { signal } = new AbortController();
    const layout = { sizeBytes: volume.length, chunkBytes };
    const read = async (into: Uint8Array, offset: number) => into.set(volume.subarray(offset, offset + into.length));
    const chunks = Array.from({ length: chunkCount(layout) }, (_, chunk) => chunk);
    const ids = await writeChunks(session, chunks, { layout, read, onRead: () => {}, signal });
    const write = (data: Uint8Array) => session.writeContent({ prefix: 'x', data }, { signal });
    const objectId = await writeChunkList(ids, layout, write);
    const snapshot = { source, fileName, sizeBytes: volume.length, objectId, startMs, endMs: startMs };
    return storeSnapshot(session, snapshot, { mayBeThere: false, signal });
  }

  /** The block volume that a snapshot restores to, by the reader of another library, from what is stored for good. @throws what is wrong with it */
  async restored(snapshotID: string): Promise<Buffer> {
    const { signal } = new AbortController();
    const stored = async (id: string) => found(this.contents.get(id), 'CONTENT_MISSING', id);
    const { json } = found(this.manifests.get(snapshotID), 'SNAPSHOT_NOT_FOUND', snapshotID);
    const manifest = JSON.parse(json) as { rootEntry: { obj: string } };
    const folder = JSON.parse(Buffer.from(await stored(manifest.rootEntry.obj)).toString()) as {
      entries: { obj: string }[];
    };
    const pieces: Uint8Array[] = [];
    for await (const piece of readObject(parseObjectId(folder.entries[0]?.obj ?? ''), stored, signal))
      pieces.push(piece);
    return Buffer.concat(pieces);
  }

  #write(pending: Pending, prefix: string, data: Uint8Array): string {
    const id = `${prefix}${createHash('sha256').update(prefix).update(data).digest('hex').slice(0, 32)}`;
    if (!this.contents.has(id)) pending.contents.set(id, Uint8Array.from(data));
    return id;
  }

  #put(pending: Pending, manifest: Omit<StoredManifest, 'id'>): string {
    const id = String(++this.#count).padStart(32, '0');
    pending.manifests.set(id, { ...manifest, id });
    return id;
  }

  #flush({ contents, manifests, deleted }: Pending): void {
    const more = [...contents].reduce((sum, [id, data]) => sum + (this.contents.has(id) ? 0 : data.length), 0);
    if (this.storedBytes + more > this.roomBytes)
      throw new AppError('OBJECT_STORE_FULL', 'the store is full', { retry: 'later' });
    for (const [id, data] of contents) this.#store(id, data);
    for (const [id, manifest] of manifests) this.manifests.set(id, manifest);
    for (const id of deleted) this.manifests.delete(id);
    contents.clear();
    manifests.clear();
    deleted.clear();
  }

  #store(id: string, data: Uint8Array): void {
    if (!this.contents.has(id)) this.storedBytes += data.length;
    this.contents.set(id, data);
  }

  /** Packs are written when they are full; manifests by a flush alone, after all contents. */
  #keepSome({ contents }: Pending): void {
    for (const [id, data] of contents) if (this.#random.next() < 0.5) this.#store(id, data);
  }
}

const hasAll = ({ labels }: FoundManifest, wanted: Readonly<Record<string, string>>): boolean =>
  Object.entries(wanted).every(([name, value]) => labels[name] === value);

function found<T>(value: T | undefined, code: string, id: string): T {
  if (value === undefined) throw new AppError(code, `${id} is not there`);
  return value;
}
