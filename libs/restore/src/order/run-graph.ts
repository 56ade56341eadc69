import { AppError } from '@lateen/errors';
import type { Places } from '@lateen/kernel';
import type { Edges } from './edges.ts';
import { MinHeap } from './min-heap.ts';

export interface GraphRun {
  readonly graph: { readonly edges: Edges; readonly ranks: Float64Array };
  /** Shared with other users of places; its queue is sorted by rank. */
  readonly places: Places<number>;
  /** Other nodes may wait for a node without work, but nothing runs for it. */
  hasWork(node: number): boolean;
  /** Called while `placeKey(node)` holds a place; it may release the place and take it again. A rejection ends the whole run. */
  work(node: number): Promise<void>;
}

/** How many nodes queue for a place; other ready nodes are kept as numbers, since there may be as many as objects. */
const inLineMax = 128;

/** The key of a node's place. */
export const placeKey = (node: number): string => String(node);

/**
 * Runs a graph without circles: each node runs after all nodes that it waits for, the lowest rank among the ready nodes first, as many at
 * the same time as there are places. After a failure or an abort nothing more starts; the promise rejects with the reason when the
 * running nodes have ended.
 * @throws RESTORE_GRAPH_CIRCLE when no node can start any more
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
  /** Ready nodes that are not queued yet. Ready nodes with a rank up to `#lineEnd` are queued in any case, so the order of ranks is kept. */
  readonly #ready: MinHeap<number>;
  /** Nodes that queue for a place; a failure removes them from the queue. */
  readonly #inLine = new Set<number>();
  /** The highest rank that has been queued. */
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

  /** Takes nodes that wait for no other node any more. Nodes without work end at once, which may make more nodes ready. */
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
      // The node may hand its place to another one at once.
      this.#fillLine();
    };
    this.#inLine.add(node);
    if (this.#run.places.tryTake(placeKey(node), rank, start)) start();
  }

  async #start(node: number): Promise<void> {
    this.#working++;
    try {
      // The place arrived after the run had failed.
      if (this.#failure !== undefined) return;
      await this.#run.work(node);
      const ready: number[] = [];
      this.#complete(node, ready);
      // Done before the place is released, so that nodes which are ready now are queued for it.
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
      this.#end.reject(
        new AppError(
          'RESTORE_GRAPH_CIRCLE',
          `${this.#left} objects of the restore wait for each other in a circle: none of them can be restored`,
          {
            nextStep:
              'Circles are removed before a restore starts, so this is a defect of Lateen: report it with the output of "lateen restore plan --graph text". Restore again without the order that you have declared (annotation lateen.dev/restore-after, restoreOrder), if there is one.',
          },
        ),
      );
  }
}
