import type { ResourceType, WatchOptions } from '@lateen/kube';
import { kubeError } from '@lateen/kube';
import { badRequest, watchTooOld } from './api-error.ts';
import { type Matches, selects } from './selectors.ts';
import type { ServerState } from './server-state.ts';
import { type Change, type Entry, typeKeyOf } from './store.ts';

/** An event with the text of its object, so that each reader parses its own copy. */
export type EntryEvent =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; entry: Entry }
  | { type: 'BOOKMARK'; version: number };

/** Returns true for an event that watchers must not receive. */
export type DropEvent = (event: { type: string; entry: Entry }) => boolean;

/** The server sends a bookmark about every minute, and one two seconds before the watch ends. */
const bookmarkMs = 60_000;
const lastBookmarkBeforeEndMs = 2_000;
/** Limit of the buffer: the watch of a very slow reader is cut off, as by the real server. */
const queuedEventsMax = 10_000;

/** The reason with which the timers of a watch end. Created once, because an error with a stack for each of very many watches is slow. */
const over = new Error('the watch is over');

interface Watcher {
  queue: EntryEvent[];
  wake: () => void;
  error: unknown;
  ended: boolean;
}

/** All open watches of one fake API server. */
export class Watches {
  readonly #state: ServerState;
  readonly #watchers = new Set<Watcher>();
  readonly drops = new Set<DropEvent>();

  constructor(state: ServerState) {
    this.#state = state;
  }

  get open(): number {
    return this.#watchers.size;
  }

  /** Ends all open watches: normally, or with an error like a broken connection. */
  close(error?: unknown): void {
    for (const watcher of this.#watchers) {
      watcher.error = error;
      end(watcher);
    }
  }

  /** Sends each open watch a bookmark now. */
  bookmark(): void {
    for (const watcher of this.#watchers) this.#push(watcher, { type: 'BOOKMARK', version: this.#state.store.version });
  }

  /** @throws KUBE_GONE when history does not reach back to the version */
  async *watch(type: ResourceType, options: WatchOptions): AsyncGenerator<EntryEvent, void, void> {
    const { store } = this.#state;
    const matches = scoped(type, options);
    const from = Number(options.resourceVersion);
    if (Number.isNaN(from)) throw badRequest(`resourceVersion: Invalid value: "${options.resourceVersion}"`);
    if (from !== 0 && from < store.compactedVersion) throw watchTooOld(from, store.compactedVersion);
    const watcher: Watcher = { queue: [], wake: () => {}, error: undefined, ended: false };
    const take = (change: Change) => this.#offer(watcher, type, matches, change);
    if (from === 0) {
      const current = store.entries(typeKeyOf(type)).filter((entry) => matches(entry));
      for (const entry of current) this.#push(watcher, { type: 'ADDED', entry });
    } else {
      for (const change of store.since(from)) take(change);
    }
    const unsubscribe = store.onChange(take);
    this.#watchers.add(watcher);
    const stop = new AbortController();
    const timers = [this.#bookmarks(watcher, options, stop.signal), this.#timeout(watcher, options, stop.signal)];
    const onAbort = () => {
      watcher.error = options.signal?.reason;
      watcher.queue = [];
      end(watcher);
    };
    options.signal?.addEventListener('abort', onAbort, { once: true });
    try {
      if (options.signal?.aborted) onAbort();
      yield* drain(watcher);
    } finally {
      unsubscribe();
      this.#watchers.delete(watcher);
      options.signal?.removeEventListener('abort', onAbort);
      stop.abort(over);
      await Promise.allSettled(timers);
    }
  }

  #offer(watcher: Watcher, type: ResourceType, matches: (entry: Entry) => boolean, change: Change): void {
    if (change.entry.typeKey !== typeKeyOf(type)) return;
    const before = change.before !== undefined && matches(change.before);
    const after = change.type !== 'DELETED' && matches(change.entry);
    if (!before && !after) return;
    const event: EntryEvent = { type: before ? (after ? 'MODIFIED' : 'DELETED') : 'ADDED', entry: change.entry };
    if ([...this.drops].some((drop) => drop(event))) return;
    this.#push(watcher, event);
  }

  #push(watcher: Watcher, event: EntryEvent): void {
    if (watcher.queue.length >= queuedEventsMax) end(watcher);
    if (watcher.ended) return;
    watcher.queue.push(event);
    watcher.wake();
  }

  async #bookmarks(watcher: Watcher, options: WatchOptions, signal: AbortSignal): Promise<void> {
    let leftMs = options.timeoutSeconds * 1000;
    while (leftMs > 0) {
      const beforeEndMs = leftMs - lastBookmarkBeforeEndMs;
      const waitMs = beforeEndMs > 0 ? Math.min(bookmarkMs, beforeEndMs) : leftMs;
      await this.#state.clock.sleep(waitMs, signal);
      leftMs -= waitMs;
      if (leftMs > 0) this.#push(watcher, { type: 'BOOKMARK', version: this.#state.store.version });
    }
  }

  async #timeout(watcher: Watcher, options: WatchOptions, signal: AbortSignal): Promise<void> {
    await this.#state.clock.sleep(options.timeoutSeconds * 1000, signal);
    end(watcher);
  }
}

function scoped(type: ResourceType, options: WatchOptions): (entry: Entry) => boolean {
  const matches: Matches = selects(type, options);
  return (entry) =>
    (!type.namespaced || options.namespace === undefined || entry.key.namespace === options.namespace) &&
    matches(entry.object);
}

async function* drain(watcher: Watcher): AsyncGenerator<EntryEvent, void, void> {
  for (;;) {
    const event = watcher.queue.shift();
    if (event !== undefined) {
      yield event;
      continue;
    }
    if (watcher.error !== undefined) throw watcher.error;
    if (watcher.ended) return;
    await new Promise<void>((resolve) => {
      watcher.wake = resolve;
    });
  }
}

function end(watcher: Watcher): void {
  watcher.ended = true;
  watcher.wake();
}

/** The error of a watcher whose connection breaks. */
export const brokenConnection = (): unknown =>
  kubeError('KUBE_UNAVAILABLE', 'the connection to the API server broke: read ECONNRESET');
