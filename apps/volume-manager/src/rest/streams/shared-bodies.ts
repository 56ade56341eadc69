import { createHash } from 'node:crypto';
import { orAborted } from '@lateen/kernel';
import { listings } from '../reading/listings.ts';
import type { StorageReader } from '../reading/storage-reader.ts';
import { wholeCollection } from '../routes/collection-routes.ts';
import { streamLimits } from './stream-limits.ts';

/** A message, as all clients of a stream share it. */
export interface StreamBody {
  readonly bytes: Buffer;
  /** Two bodies with the same digest are the same. */
  readonly digest: string;
}

/** The changes of one collection, while somebody follows it. */
interface Followed {
  clients: number;
  /** Counts the changes. */
  version: number;
  next: PromiseWithResolvers<void>;
  readonly end: () => void;
}

/** Collections that are followed: who waits is woken by each change, all of them, and a body is made once for all. */
export class SharedBodies {
  readonly #reader: StorageReader;
  readonly #followed = new Map<string, Followed>();
  readonly #bodies = new Map<string, { readonly version: number; readonly body: StreamBody }>();

  constructor(reader: StorageReader) {
    this.#reader = reader;
  }

  /** Begins to follow a collection; call what it returns to end that. */
  follow(collection: string): () => void {
    const known = this.#followed.get(collection);
    const followed = known ?? this.#begin(collection);
    followed.clients += 1;
    return () => {
      followed.clients -= 1;
      if (followed.clients > 0) return;
      followed.end();
      this.#followed.delete(collection);
    };
  }

  /** The count of changes so far. */
  version(collection: string): number {
    return this.#of(collection).version;
  }

  /** Resolves when there were changes since that count. @throws the signal's reason */
  async changed(collection: string, since: number, signal: AbortSignal): Promise<void> {
    const followed = this.#of(collection);
    if (followed.version === since) await orAborted(followed.next.promise, signal);
  }

  /** The collection as it is now, with links that begin with `base`. */
  body(collection: string, base: string): StreamBody {
    const { version } = this.#of(collection);
    const key = `${collection} ${base}`;
    const known = this.#bodies.get(key);
    if (known?.version === version) return known.body;
    const listing = listings[collection];
    if (listing === undefined) throw new RangeError(`there is no collection ${collection}`);
    const bytes = Buffer.from(JSON.stringify(wholeCollection(collection, listing, this.#reader, base)));
    const body = { bytes, digest: createHash('sha256').update(bytes).digest('base64') };
    this.#bodies.delete(key);
    this.#bodies.set(key, { version, body });
    const [oldest] = this.#bodies.keys();
    if (this.#bodies.size > streamLimits.bodiesMax && oldest !== undefined) this.#bodies.delete(oldest);
    return body;
  }

  #of(collection: string): Followed {
    const followed = this.#followed.get(collection);
    if (followed === undefined) throw new RangeError(`nobody follows ${collection}`);
    return followed;
  }

  #begin(collection: string): Followed {
    const followed: Followed = {
      clients: 0,
      version: 0,
      next: Promise.withResolvers(),
      end: () => {
        for (const end of ends) end();
        for (const key of this.#bodies.keys()) if (key.startsWith(`${collection} `)) this.#bodies.delete(key);
      },
    };
    const changed = () => {
      followed.version += 1;
      followed.next.resolve();
      followed.next = Promise.withResolvers();
    };
    const ends = (listings[collection]?.kinds ?? []).map((kind) => this.#reader.onChange(kind, changed));
    this.#followed.set(collection, followed);
    return followed;
  }
}
