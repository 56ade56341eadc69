import { podType } from '@lateen/api-types';
import type { ObjectKey, PodLogOptions, PodLogs } from '@lateen/kube';
import { keyText, requireKey } from '@lateen/kube';
import { badRequest, notFound } from './api-error.ts';
import type { ServerState } from './server-state.ts';
import type { Entry } from './store.ts';

const pods = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true } as const;

/** Small, so that readers encounter split lines. */
const chunkBytes = 48;

interface StampedLine {
  ms: number;
  /** The format of the kubelet: nanoseconds, always nine digits. */
  timestamp: string;
  /** Includes the line feed, unless the container has not written it yet. */
  text: string;
}

interface PodShape {
  status?: { phase?: string; containerStatuses?: { name: string; state?: { terminated?: object } }[] };
}

/** Logs of containers, set by tests and served as the kubelet does (Kubernetes API reference, "read log of the specified Pod"). */
export class FakePodLogs implements PodLogs {
  readonly #state: ServerState;
  readonly #logs = new Map<string, StampedLine[]>();
  readonly #onWrite = new Set<() => void>();
  #written = 0;

  constructor(state: ServerState) {
    this.#state = state;
  }

  /** Replaces the whole log of the container. */
  set(pod: ObjectKey, text: string, container = ''): void {
    this.#logs.delete(logKey(pod, container));
    this.append(pod, text, container);
  }

  /** The log of the container before its last restart. */
  setPrevious(pod: ObjectKey, text: string, container: string): void {
    this.set(pod, text, previousRun(container));
  }

  /** Appends to the container's log; whole lines or parts of one. */
  append(pod: ObjectKey, text: string, container = ''): void {
    const key = logKey(pod, container);
    const lines = this.#logs.get(key) ?? [];
    this.#logs.set(key, lines);
    for (const part of text.split(/(?<=\n)/)) {
      const last = lines.at(-1);
      if (last !== undefined && !last.text.endsWith('\n')) last.text += part;
      else if (part !== '') lines.push(this.#stamped(part));
    }
    for (const wake of [...this.#onWrite]) wake();
  }

  async *stream(pod: ObjectKey, options: PodLogOptions): AsyncGenerator<Uint8Array, void, void> {
    requireKey('read the log of', podType, pod);
    const { signal, follow, timestamps = false, sinceTime, tailLines } = options;
    signal?.throwIfAborted();
    const container = options.previous === true ? previousRun(options.container) : (options.container ?? '');
    this.#mustBeReadable(pod, container);
    if (options.previous === true && !this.#logs.has(logKey(pod, container)))
      throw badRequest(`previous terminated container "${options.container}" in pod "${pod.name}" not found`);
    const since = sinceTime === undefined ? 0 : Math.floor(Date.parse(sinceTime) / 1000) * 1000;
    const first = tailLines === undefined ? 0 : Math.max(this.#lines(pod, container).length - tailLines, 0);
    let read = { line: first, chars: 0 };
    for (;;) {
      const isLast = follow !== true || this.#hasEnded(pod, container);
      const part = unread(this.#lines(pod, container), read, { since, timestamps });
      read = part.read;
      const bytes = Buffer.from(part.text);
      for (let at = 0; at < bytes.length; at += chunkBytes) {
        signal?.throwIfAborted();
        yield bytes.subarray(at, at + chunkBytes);
      }
      if (isLast) return;
      await this.#change(pod, container, read, signal);
    }
  }

  #stamped(text: string): StampedLine {
    const ms = this.#state.clock.now();
    this.#written++;
    const timestamp = new Date(ms).toISOString().replace('Z', `${String(this.#written % 1e6).padStart(6, '0')}Z`);
    return { ms, timestamp, text };
  }

  #lines(pod: ObjectKey, container: string): readonly StampedLine[] {
    return this.#logs.get(logKey(pod, container)) ?? this.#logs.get(logKey(pod, '')) ?? [];
  }

  #mustBeReadable(pod: ObjectKey, container: string): void {
    const entry = this.#state.store.get('/Pod', pod);
    if (entry === undefined) throw notFound(pods, pod.name);
    const isWaiting = shapeOf(entry).status?.phase === 'Pending' && this.#lines(pod, container).length === 0;
    if (!isWaiting) return;
    throw badRequest(`container "${container || 'main'}" in pod "${pod.name}" is waiting to start: ContainerCreating`);
  }

  #hasEnded(pod: ObjectKey, container: string): boolean {
    const entry = this.#state.store.get('/Pod', pod);
    if (entry === undefined) return true;
    const { phase, containerStatuses = [] } = shapeOf(entry).status ?? {};
    const status = containerStatuses.find(({ name }) => name === container);
    return phase === 'Succeeded' || phase === 'Failed' || status?.state?.terminated !== undefined;
  }

  /** Resolves when there is more to read, or nothing more will come. */
  async #change(
    pod: ObjectKey,
    container: string,
    read: { line: number; chars: number },
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const changed = Promise.withResolvers<void>();
    const look = () => {
      const lines = this.#lines(pod, container);
      const more = lines.length > read.line && (lines[read.line]?.text.length ?? 0) > read.chars;
      if (more || this.#hasEnded(pod, container)) changed.resolve();
    };
    const onAbort = () => changed.reject(signal?.reason);
    this.#onWrite.add(look);
    const unsubscribe = this.#state.store.onChange(look);
    signal?.addEventListener('abort', onAbort, { once: true });
    look();
    try {
      await changed.promise;
    } finally {
      this.#onWrite.delete(look);
      unsubscribe();
      signal?.removeEventListener('abort', onAbort);
    }
  }
}

/** The key for the log of the previous run: no container can have this name. */
const previousRun = (container = ''): string => `${container}/previous`;
const logKey = (pod: ObjectKey, container: string): string => `${keyText(pod)}/${container}`;
const shapeOf = (entry: Entry): PodShape => entry.object as PodShape;

/** The data after `read`, and where it ends. A line has its timestamp only at its start. */
function unread(
  lines: readonly StampedLine[],
  read: { line: number; chars: number },
  { since, timestamps }: { since: number; timestamps: boolean },
): { text: string; read: { line: number; chars: number } } {
  let text = '';
  let { line, chars } = read;
  for (; line < lines.length; line++, chars = 0) {
    const { ms, timestamp, text: whole } = lines[line] as StampedLine;
    const isWanted = ms >= since && whole.length > chars;
    if (isWanted) text += (timestamps && chars === 0 ? `${timestamp} ` : '') + whole.slice(chars);
    if (!whole.endsWith('\n')) return { text, read: { line, chars: whole.length } };
  }
  return { text, read: { line, chars: 0 } };
}
