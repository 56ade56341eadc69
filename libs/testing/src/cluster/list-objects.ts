import type { ListOptions, ResourceType } from '@lateen/kube';
import { badRequest, continueTooOld } from './api-error.ts';
import { selects } from './selectors.ts';
import { type Entry, type ObjectStore, typeKeyOf } from './store.ts';

export interface EntryPage {
  entries: Entry[];
  version: number;
  continue?: string;
}

const pageDefault = 500;
/** Lists that are being paged at one time; the oldest is forgotten, as the real server's expire after some minutes. */
const snapshotsMax = 1_000;

interface Snapshot {
  rest: Entry[];
  version: number;
}

/** Pages of one consistent list: later pages show the state at the first page's version, as etcd does. */
export class ObjectLists {
  readonly #store: ObjectStore;
  readonly #snapshots = new Map<string, Snapshot>();
  #tokens = 0;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  page(type: ResourceType, options: ListOptions): EntryPage {
    const limit = options.limit ?? pageDefault;
    const { rest, version } =
      options.continue === undefined || options.continue === ''
        ? this.#first(type, options)
        : this.#continued(options.continue);
    const entries = limit === 0 ? rest : rest.slice(0, limit);
    if (entries.length === rest.length) return { entries, version };
    return { entries, version, continue: this.#keep({ rest: rest.slice(entries.length), version }) };
  }

  #first(type: ResourceType, options: ListOptions): Snapshot {
    const matches = selects(type, options);
    const rest = this.#store
      .entries(typeKeyOf(type))
      .filter(
        (entry) => !type.namespaced || options.namespace === undefined || entry.key.namespace === options.namespace,
      )
      .filter((entry) => matches(entry.object));
    return { rest, version: this.#store.version };
  }

  #continued(token: string): Snapshot {
    const snapshot = this.#snapshots.get(token);
    if (snapshot === undefined) {
      if (!/^page-\d+$/.test(token)) throw badRequest('continue key is not valid: illegal base64 data');
      throw continueTooOld();
    }
    if (snapshot.version < this.#store.compactedVersion) throw continueTooOld();
    return snapshot;
  }

  #keep(snapshot: Snapshot): string {
    const token = `page-${++this.#tokens}`;
    this.#snapshots.set(token, snapshot);
    const oldest = this.#snapshots.keys().next().value;
    if (this.#snapshots.size > snapshotsMax && oldest !== undefined) this.#snapshots.delete(oldest);
    return token;
  }
}
