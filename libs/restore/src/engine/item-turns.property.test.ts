import { Places } from '@lateen/kernel';
import { FakeClock, seededRandom } from '@lateen/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EdgeList } from '../order/edges.ts';
import { lowestRankFirst } from '../order/rank-line.ts';
import { placeKey, runGraph } from '../order/run-graph.ts';
import { anItem, finder, identifierOf } from '../testing/catalog-items.ts';
import { ItemOutcomes } from './item-outcomes.ts';
import { ItemTurns } from './item-turns.ts';

/** Objects that name additional items, also in cycles; some of them are restored only when they are named. */
const cases = fc.integer({ min: 1, max: 20 }).chain((count) =>
  fc.record({
    count: fc.constant(count),
    /** For each object: the items that it names, once or twice, and whether it then waits for something else. */
    names: fc.array(
      fc.record({
        calls: fc.array(fc.array(fc.nat(count - 1), { maxLength: 4 }), { maxLength: 2 }),
        waits: fc.boolean(),
      }),
      { minLength: count, maxLength: count },
    ),
    chosen: fc.array(fc.boolean(), { minLength: count, maxLength: count }),
    parallel: fc.integer({ min: 1, max: 5 }),
    seed: fc.nat(),
  }),
);

type Drawn = typeof cases extends fc.Arbitrary<infer T> ? T : never;

function world({ count, names, chosen, parallel, seed }: Drawn) {
  const clock = new FakeClock();
  const random = seededRandom(seed);
  const items = Array.from({ length: count }, (_, at) => anItem(`configmaps shop/c${at}`));
  const wanted = items.filter((_, at) => chosen[at] === true);
  const places = new Places<number>(parallel, lowestRankFirst());
  const restored: string[] = [];
  let working = 0;
  let most = 0;
  const signal = new AbortController().signal;
  const outcomes = new ItemOutcomes(clock, () => {});
  const busy = async () => {
    most = Math.max(most, ++working);
    await clock.sleep(1 + Math.floor(random.next() * 10));
    working--;
  };
  const turns = new ItemTurns({
    places,
    outcomes,
    isSerial: parallel === 1,
    isChosen: (item) => wanted.includes(item),
    lets: () => true,
    find: finder(items),
    restoreOne: async (item) => {
      restored.push(item.name);
      await busy();
      const { calls, waits } = names[items.indexOf(item)] ?? { calls: [], waits: false };
      for (const call of calls) {
        const ids = call.map((at) => identifierOf(`configmaps shop/c${at}`));
        const there = await turns.restore(item, ids, { mustInclude: false, by: 'example' }, signal);
        expect(there).toHaveLength(ids.length);
        await busy();
      }
      if (waits) await turns.whileWaiting(item, () => clock.sleep(50), signal);
      await busy();
      return { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: item.name, act: 'create' };
    },
  });
  const run = async () => {
    const graph = { edges: new EdgeList().build(wanted.length), ranks: Float64Array.from(wanted, (_, at) => at) };
    const work = async (node: number) =>
      await turns.run(wanted[node] as (typeof items)[number], placeKey(node), signal);
    const running = runGraph({ graph, places, hasWork: () => true, work }, signal);
    await clock.advance(1_000_000);
    await running;
  };
  return { run, restored, most: () => most, places, outcomes };
}

/** All selected objects, the objects that they name, and so on. */
function reached({ count, names, chosen }: Drawn): string[] {
  const seen = new Set<number>();
  const ahead = Array.from({ length: count }, (_, at) => at).filter((at) => chosen[at] === true);
  for (let at = ahead.pop(); at !== undefined; at = ahead.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    ahead.push(...(names[at]?.calls.flat() ?? []));
  }
  return [...seen].map((at) => `c${at}`).sort();
}

describe('ItemTurns', () => {
  it('restores each object once whatever names it, never deadlocks, and never exceeds the parallel limit', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (drawn) => {
        const { run, restored, most, places, outcomes } = world(drawn);
        await run();
        expect([...restored].sort()).toEqual(reached(drawn));
        expect(most()).toBeLessThanOrEqual(drawn.parallel);
        expect([places.taken, places.waiting]).toEqual([0, 0]);
        const { totalItems, itemsRestored } = outcomes.progress;
        expect(itemsRestored).toBe(restored.length);
        expect(totalItems).toBe(restored.length);
      }),
      { numRuns: 400 },
    );
  });
});
