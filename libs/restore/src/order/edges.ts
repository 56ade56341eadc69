/** Why one node comes after another. */
export const edgeReasons = [
  'namespace',
  'definition',
  'kind',
  'needs',
  'owner',
  'operator',
  'webhook',
  'declared',
] as const;
export type EdgeReason = (typeof edgeReasons)[number];

/** Collects edges while a graph is built. Nodes are numbers. */
export class EdgeList {
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #reasons: number[] = [];

  add(from: number, to: number, reason: EdgeReason): void {
    if (from === to) return;
    this.#from.push(from);
    this.#to.push(to);
    this.#reasons.push(edgeReasons.indexOf(reason));
  }

  get size(): number {
    return this.#from.length;
  }

  /** @param drop edges to leave out */
  build(nodes: number, drop?: ReadonlySet<number>): Edges {
    return new Edges(nodes, this.#from, this.#to, this.#reasons, drop);
  }
}

/** All edges by their start node: a few bytes each, so that 300,000 objects fit. */
export class Edges {
  /** The edges of node n are at the indexes `#starts[n]` to `#starts[n + 1]` of the other two arrays. */
  readonly #starts: Int32Array;
  readonly #to: Int32Array;
  readonly #reasons: Uint8Array;
  readonly #numbers: Int32Array;
  /** How many edges end at each node. */
  readonly incoming: Int32Array;

  constructor(
    nodes: number,
    from: readonly number[],
    to: readonly number[],
    reasons: readonly number[],
    drop: ReadonlySet<number> = new Set(),
  ) {
    const kept = from.length - drop.size;
    this.#starts = new Int32Array(nodes + 1);
    this.#to = new Int32Array(kept);
    this.#reasons = new Uint8Array(kept);
    this.#numbers = new Int32Array(kept);
    this.incoming = new Int32Array(nodes);
    for (let number = 0; number < from.length; number++) {
      if (drop.has(number)) continue;
      (this.#starts[(from[number] as number) + 1] as number)++;
      (this.incoming[to[number] as number] as number)++;
    }
    for (let node = 0; node < nodes; node++) (this.#starts[node + 1] as number) += this.#starts[node] as number;
    const next = this.#starts.slice();
    for (let number = 0; number < from.length; number++) {
      if (drop.has(number)) continue;
      const place = next[from[number] as number] as number;
      next[from[number] as number] = place + 1;
      this.#to[place] = to[number] as number;
      this.#reasons[place] = reasons[number] as number;
      this.#numbers[place] = number;
    }
  }

  /** The first index of a node's edges; indexes are the arguments of `to`, `reason` and `number`. */
  first(node: number): number {
    return this.#starts[node] as number;
  }

  end(node: number): number {
    return this.#starts[node + 1] as number;
  }

  to(place: number): number {
    return this.#to[place] as number;
  }

  reason(place: number): EdgeReason {
    return edgeReasons[this.#reasons[place] as number] as EdgeReason;
  }

  /** The number that the list gave to the edge. */
  number(place: number): number {
    return this.#numbers[place] as number;
  }
}
