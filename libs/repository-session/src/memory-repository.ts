import { createHash } from 'node:crypto';
import { AppError } from '@lateen/errors';
import type { Random } from '@lateen/kernel';
import type { FoundManifest, ServerSession, StoredManifest } from './client/server-session.ts';
import { sessionLost } from './client/session-errors.ts';

/** What a server has not written to the store yet. */
interface Pending {
  contents: Map<string, Uint8Array>;
  manifests: Map<string, StoredManifest>;
  deleted: Set<string>;
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
