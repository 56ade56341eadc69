import { AppError } from '@lateen/errors';
import type { Places } from '@lateen/kernel';
import type { Edges } from './edges.ts';
import { MinHeap } from './min-heap.ts';

export interface GraphRun {
  readonly graph: { readonly edges: Edges; readonly ranks: Float64Array };
  /** Shared with whatever else takes places; its line goes by rank. */
  readonly places: Places<number>;
  /** A node without work is only waited for. */
  hasWork(node: number): boolean;
  /** Holds a place under `placeKey(node)` when it is called; may give it back and take it again. A rejection ends the whole run. */
  work(node: number): Promise<void>;
}

/** Nodes in the line for a place; all others that could begin are held as numbers, since there may be as many as objects. */
const inLineMax = 128;

/** Under which a node holds its place. */
export const placeKey = (node: number): string => String(node);

/**
 * Works off a graph without circles: each node after all that it waits for, the lowest rank first of those that could begin, as many at once as there are
 * places. After a failure, or an abort, nothing more begins; it rejects with the reason when what was under way has ended.
 * @throws RESTORE_GRAPH_CIRCLE when nothing can begin any more
 */
export async function runGraph(run: GraphRun, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const working = new GraphWork(run);
  const onAbort = () => working.stop(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await working.run();
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

class GraphWork {
  readonly #run: GraphRun;
  readonly #pending: Int32Array;
  readonly #end = Promise.withResolvers<void>();
  #left: number;
  #working = 0;
  #failure: { reason: unknown } | undefined;
  /** Nodes that could begin and are not in the line yet: none of them before one that is, up to `#lineEnd`. */
  readonly #ready: MinHeap<number>;
  /** Nodes that wait for a place, to be told when there is nothing to wait for any more. */
  readonly #inLine = new Set<number>();
  /** The highest rank that has been put into the line. */
  #lineEnd = Number.NEGATIVE_INFINITY;

  constructor(run: GraphRun) {
    this.#run = run;
    const { ranks } = run.graph;
    this.#ready = new MinHeap((one, other) => (ranks[one] as number) < (ranks[other] as number));
    this.#pending = run.graph.edges.incoming.slice();
    this.#left = this.#pending.length;
  }

  run(): Promise<void> {
    const ready: number[] = [];
    for (const [node, pending] of this.#pending.entries()) if (pending === 0) ready.push(node);
    this.#offer(ready);
    this.#settleIfDone();
    return this.#end.promise;
  }

  stop(reason: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = { reason };
    for (const node of this.#inLine) this.#run.places.release(placeKey(node));
    this.#inLine.clear();
    this.#settleIfDone();
  }

  /** These wait for no other node any more. Those without work end at once, which may make more ready. */
  #offer(ready: number[]): void {
    for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
      if (this.#run.hasWork(node)) this.#ready.push(node);
      else this.#complete(node, ready);
    }
    this.#fillLine();
  }

  #fillLine(): void {
    const { ranks } = this.#run.graph;
    for (let node = this.#ready.first; node !== undefined; node = this.#ready.first) {
      const rank = ranks[node] as number;
      if (this.#failure !== undefined || (this.#inLine.size >= inLineMax && rank > this.#lineEnd)) return;
      this.#ready.pop();
      this.#lineEnd = Math.max(this.#lineEnd, rank);
      this.#queue(node, rank);
    }
  }

  #queue(node: number, rank: number): void {
    const start = () => {
      this.#inLine.delete(node);
      void this.#start(node);
      // It may give its place away at once, for another.
      this.#fillLine();
    };
    this.#inLine.add(node);
    if (this.#run.places.tryTake(placeKey(node), rank, start)) start();
  }

  async #start(node: number): Promise<void> {
    this.#working++;
    try {
      // A place that was handed on while others gave theirs up.
      if (this.#failure !== undefined) return;
      await this.#run.work(node);
      const ready: number[] = [];
      this.#complete(node, ready);
      // Before the place is handed on, so that whoever is ready by now is in the line for it.
      this.#offer(ready);
    } catch (error) {
      this.stop(error);
    } finally {
      this.#working--;
      this.#run.places.release(placeKey(node));
      this.#settleIfDone();
    }
  }

  #complete(node: number, ready: number[]): void {
    const { edges } = this.#run.graph;
    this.#left--;
    for (let place = edges.first(node); place < edges.end(node); place++) {
      const to = edges.to(place);
      if (--(this.#pending[to] as number) === 0) ready.push(to);
    }
  }

  #settleIfDone(): void {
    if (this.#failure !== undefined) {
      if (this.#working === 0) this.#end.reject(this.#failure.reason);
    } else if (this.#left === 0) this.#end.resolve();
    else if (this.#working === 0 && this.#inLine.size === 0 && this.#ready.size === 0)
      this.#end.reject(new AppError('RESTORE_GRAPH_CIRCLE', `${this.#left} parts of the restore wait for each other`));
  }
}
