import { Places } from '@lateen/kernel';
import { FakeClock, seededRandom } from '@lateen/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutCircles } from './break-circles.ts';
import { EdgeList, edgeReasons } from './edges.ts';
import { lowestRankFirst } from './rank-line.ts';
import { placeKey, runGraph } from './run-graph.ts';

const open = new AbortController().signal;

/** Random edges between some nodes, also with cycles. About every fourth node has no work. */
const graphs = fc.integer({ min: 0, max: 40 }).chain((nodes) =>
  fc.record({
    nodes: fc.constant(nodes),
    edges: fc.array(
      fc.tuple(fc.nat(Math.max(nodes - 1, 0)), fc.nat(Math.max(nodes - 1, 0)), fc.constantFrom(...edgeReasons)),
      { maxLength: nodes === 0 ? 0 : 120 },
    ),
    parallel: fc.integer({ min: 1, max: 8 }),
    seed: fc.nat(),
    gates: fc.array(fc.boolean(), { minLength: nodes, maxLength: nodes }),
  }),
);

type Drawn = typeof graphs extends fc.Arbitrary<infer T> ? T : never;

function built({ nodes, edges }: Drawn) {
  const list = new EdgeList();
  for (const [from, to, reason] of edges) list.add(from, to, reason);
  const ranks = Float64Array.from({ length: nodes }, (_, node) => node);
  return { list, ranks, ...withoutCircles(list, nodes, ranks) };
}

/** Runs the graph on a fake clock; each node takes some time. `fail`: the work of that node rejects. */
function worked(drawn: Drawn, options: { fail?: number; abortAtMs?: number } = {}) {
  const { edges, ranks } = built(drawn);
  const clock = new FakeClock();
  const random = seededRandom(drawn.seed);
  const places = new Places<number>(drawn.parallel, lowestRankFirst());
  const begun: number[] = [];
  const ended = new Set<number>();
  const wrong: string[] = [];
  let atOnce = 0;
  let most = 0;
  const work = async (node: number) => {
    begun.push(node);
    most = Math.max(most, ++atOnce);
    for (let from = 0; from < drawn.nodes; from++) {
      if (drawn.gates[from] === true || ended.has(from)) continue;
      for (let place = edges.first(from); place < edges.end(from); place++)
        if (edges.to(place) === node) wrong.push(`${node} before ${from}`);
    }
    await clock.sleep(1 + Math.floor(random.next() * 20));
    atOnce--;
    if (options.fail === node) throw new Error(`node ${node}`);
    ended.add(node);
  };
  const stop = new AbortController();
  const run = runGraph(
    { graph: { edges, ranks }, places, hasWork: (node) => drawn.gates[node] !== true, work },
    stop.signal,
  );
  const settled = run.then(
    () => undefined,
    (error: unknown) => error,
  );
  const finish = async () => {
    if (options.abortAtMs !== undefined) {
      await clock.advance(options.abortAtMs);
      stop.abort(new Error('enough'));
    }
    await clock.advance(100_000);
    return await settled;
  };
  return { finish, begun, ended, wrong, places, edges, atOnceMax: () => most, atOnce: () => atOnce };
}

describe('withoutCircles', () => {
  it('leaves every graph without cycles, and does not change one without cycles', () => {
    fc.assert(
      fc.property(graphs, (drawn) => {
        const { list, edges, ranks, dropped } = built(drawn);
        const again = edges.incoming.reduce((sum, count) => sum + count, 0);
        expect(again + dropped.length).toBe(list.size);
        for (const { from, to } of dropped) expect(ranks[from]).toBeGreaterThan(ranks[to] as number);
      }),
    );
  });

  it('handles a cycle of 200,000 nodes in linear time', () => {
    const nodes = 200_000;
    const list = new EdgeList();
    for (let node = 0; node < nodes; node++) list.add(node, (node + 1) % nodes, 'needs');
    const ranks = Float64Array.from({ length: nodes }, (_, node) => node);
    expect(withoutCircles(list, nodes, ranks).dropped).toEqual([{ from: nodes - 1, to: 0, reason: 'needs' }]);
  });
});

describe('runGraph', () => {
  it('completes any graph, never in the wrong order, and never exceeds the parallel limit', async () => {
    await fc.assert(
      fc.asyncProperty(graphs, async (drawn) => {
        const run = worked(drawn);
        expect(await run.finish()).toBeUndefined();
        expect([...run.begun].sort((a, b) => a - b)).toEqual(
          Array.from({ length: drawn.nodes }, (_, node) => node).filter((node) => drawn.gates[node] !== true),
        );
        expect(run.wrong).toEqual([]);
        expect(run.atOnceMax()).toBeLessThanOrEqual(drawn.parallel);
        expect([run.places.taken, run.places.waiting]).toEqual([0, 0]);
      }),
    );
  });

  it('follows the ranks when it processes one node at a time', async () => {
    await fc.assert(
      fc.asyncProperty(graphs, async (drawn) => {
        const { edges } = built(drawn);
        const run = worked({ ...drawn, parallel: 1 });
        await run.finish();
        expect(run.begun).toEqual(lowestReadyFirst(drawn, edges));
      }),
    );
  });

  it('starts no node after a failure, and rejects with it when running work has ended', async () => {
    await fc.assert(
      fc.asyncProperty(
        graphs.filter(({ gates }) => gates.includes(false)),
        async (drawn) => {
          const fail = drawn.gates.indexOf(false);
          const run = worked(drawn, { fail });
          expect(await run.finish()).toEqual(new Error(`node ${fail}`));
          expect(run.atOnce()).toBe(0);
          expect(run.ended.has(fail)).toBe(false);
          expect([run.places.taken, run.places.waiting]).toEqual([0, 0]);
        },
      ),
    );
  });

  it('ends with the reason of an abort at any time, or completes', async () => {
    await fc.assert(
      fc.asyncProperty(graphs, fc.nat(100), async (drawn, abortAtMs) => {
        const run = worked(drawn, { abortAtMs });
        const end = await run.finish();
        const isWhole = run.ended.size === drawn.gates.filter((isGate) => !isGate).length;
        expect(end).toEqual(isWhole ? end : new Error('enough'));
        expect(run.atOnce()).toBe(0);
        expect([run.places.taken, run.places.waiting]).toEqual([0, 0]);
      }),
    );
  });

  it('rejects at once when the signal is already aborted', async () => {
    const places = new Places<number>(1, lowestRankFirst());
    const graph = { edges: new EdgeList().build(1), ranks: new Float64Array(1) };
    const work = () => Promise.reject(new Error('work was begun'));
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(runGraph({ graph, places, hasWork: () => true, work }, signal)).rejects.toThrow('too late');
    expect(places.taken).toBe(0);
  });

  it('starts all ready nodes, lowest rank first, even when all started nodes have released their slots', async () => {
    const clock = new FakeClock();
    const nodes = 1_000;
    const places = new Places<number>(4, lowestRankFirst());
    const begun: number[] = [];
    const work = async (node: number) => {
      begun.push(node);
      places.release(placeKey(node));
      await clock.sleep(1_000);
    };
    const ranks = Float64Array.from({ length: nodes }, (_, node) => nodes - node);
    const run = runGraph(
      { graph: { edges: new EdgeList().build(nodes), ranks }, places, hasWork: () => true, work },
      open,
    );
    await clock.advance(500);
    expect(begun).toEqual(Array.from({ length: nodes }, (_, at) => nodes - 1 - at));
    await clock.advance(1_000);
    await run;
  });

  it('rejects when no node can start any more', async () => {
    const places = new Places<number>(2, lowestRankFirst());
    const list = new EdgeList();
    list.add(0, 1, 'kind');
    list.add(1, 2, 'kind');
    list.add(2, 1, 'kind');
    const graph = { edges: list.build(3), ranks: Float64Array.of(0, 1, 2) };
    const run = runGraph({ graph, places, hasWork: () => true, work: async () => {} }, open);
    await expect(run).rejects.toThrow(
      '2 objects of the restore wait for each other in a circle: none of them can be restored',
    );
  });

  it('lets work release its slot and take it again', async () => {
    const clock = new FakeClock();
    const places = new Places<number>(1, lowestRankFirst());
    const list = new EdgeList();
    const order: string[] = [];
    const work = async (node: number) => {
      order.push(`begin ${node}`);
      if (node === 0) {
        places.release(placeKey(0));
        await clock.sleep(1_000);
        await places.take(placeKey(0), -1, open);
      } else await clock.sleep(10);
      order.push(`end ${node}`);
    };
    const run = runGraph(
      { graph: { edges: list.build(3), ranks: Float64Array.of(0, 1, 2) }, places, hasWork: () => true, work },
      open,
    );
    await clock.advance(5_000);
    await run;
    expect(order).toEqual(['begin 0', 'begin 1', 'end 1', 'begin 2', 'end 2', 'end 0']);
  });
});

function lowestReadyFirst({ nodes, gates }: Drawn, edges: ReturnType<typeof built>['edges']): number[] {
  const pending = edges.incoming.slice();
  const begun: number[] = [];
  const ready = new Set<number>();
  const complete = (node: number) => {
    for (let place = edges.first(node); place < edges.end(node); place++)
      if (--(pending[edges.to(place)] as number) === 0) offer(edges.to(place));
  };
  const offer = (node: number) => {
    if (gates[node] === true) complete(node);
    else ready.add(node);
  };
  for (let node = 0; node < nodes; node++) if (edges.incoming[node] === 0) offer(node);
  while (ready.size > 0) {
    const next = Math.min(...ready);
    ready.delete(next);
    begun.push(next);
    complete(next);
  }
  return begun;
}
