import type { ListOptions, ResourceType } from '@lateen/kube';
import { badRequest, continueTooOld } from './api-error.ts';
import { selects } from './selectors.ts';
import { compareKeys, type Entry, type ObjectStore, typeKeyOf } from './store.ts';

export interface EntryPage {
  entries: Entry[];
  version: number;
  continue?: string;
  /** Like the real server, which gives no remaining count for a selector. */
  remaining?: number;
}

const pageDefault = 500;
/** Maximum number of paged lists; the oldest is dropped, as the real server's expire after some minutes. */
const snapshotsMax = 1_000;

interface Snapshot {
  rest: Entry[];
  version: number;
  /** Parameters of the list, for a client that continues after the version is gone. */
  asked: { type: ResourceType; options: ListOptions };
}

/** Pages of one consistent list: later pages show the state at the version of the first page, as with etcd. */
export class ObjectLists {
  readonly #store: ObjectStore;
  readonly #snapshots = new Map<string, Snapshot>();
  #tokens = 0;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  page(type: ResourceType, options: ListOptions): EntryPage {
    const limit = options.limit ?? pageDefault;
    const { rest, version, asked } =
      options.continue === undefined || options.continue === ''
        ? this.#first(type, options)
        : this.#continued(options.continue);
    const entries = limit === 0 ? rest : rest.slice(0, limit);
    if (entries.length === rest.length) return { entries, version };
    const remaining = rest.length - entries.length;
    const selects = asked.options.labelSelector ?? asked.options.fieldSelector ?? '';
    const more = this.#keep({ rest: rest.slice(entries.length), version, asked });
    return { entries, version, continue: more, ...(selects === '' ? { remaining } : {}) };
  }

  #first(type: ResourceType, options: ListOptions): Snapshot {
    const matches = selects(type, options);
    const rest = this.#store
      .entries(typeKeyOf(type))
      .filter(
        (entry) => !type.namespaced || options.namespace === undefined || entry.key.namespace === options.namespace,
      )
      .filter((entry) => matches(entry.object));
    return { rest, version: this.#store.version, asked: { type, options } };
  }

  #continued(token: string): Snapshot {
    const snapshot = this.#snapshots.get(token);
    if (snapshot === undefined) {
      if (!/^page-\d+$/.test(token)) throw badRequest('continue key is not valid: illegal base64 data');
      throw continueTooOld();
    }
    if (snapshot.version < this.#store.compactedVersion) throw continueTooOld(this.#goOn(snapshot));
    return snapshot;
  }

  /** A token for the rest of an expired list, in its current state. */
  #goOn({ rest: [next], asked }: Snapshot): string {
    const now = this.#first(asked.type, asked.options);
    const at = next === undefined ? now.rest.length : now.rest.findIndex(({ key }) => compareKeys(key, next.key) >= 0);
    return this.#keep({ ...now, rest: at < 0 ? [] : now.rest.slice(at) });
  }

  #keep(snapshot: Snapshot): string {
    const token = `page-${++this.#tokens}`;
    this.#snapshots.set(token, snapshot);
    const oldest = this.#snapshots.keys().next().value;
    if (this.#snapshots.size > snapshotsMax && oldest !== undefined) this.#snapshots.delete(oldest);
    return token;
  }
}
