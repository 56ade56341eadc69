import type { Movement } from '@lateen/data-movement';
import { describe, expect, it } from 'vitest';
import { type Journey, journeys } from '../world/journeys.ts';
import { leftovers } from '../world/nothing-left.ts';
import { withAgents } from '../world/run-world.ts';
import type { World } from '../world/world.ts';

/*
 * Cancels a movement at every point: before and after each write of the node-agent, from New to the removal of the finalizer, with
 * spec.cancel and by deletion. It has to end within 30s, and nothing may leak.
 */
const whens = ['before', 'after'] as const;
/** More than the writes of any journey; the tests end where no further write comes. */
const writesMax = 60;
const withinMs = 30_000;
const verbs = new Set(['create', 'patch', 'update', 'delete']);

type Ask = (world: World, movement: Pick<Journey, 'type' | 'key'>) => Promise<void>;
const asks: Readonly<Record<string, Ask>> = {
  'by spec.cancel': async (world, { type, key }) => {
    world.cluster.change<Movement>(type, key, (object) => {
      object.spec.cancel = true;
    });
  },
  'by deletion': async (world, { type, key }) => {
    await world.cluster.delete(type, key);
  },
};

/** Runs `ask` at one write of the agent; returns whether that write came. */
function askAt(world: World, atWrite: number, when: 'before' | 'after', ask: () => Promise<void>): () => boolean {
  let writes = 0;
  let asked = false;
  world.cluster.intercept(async (call, next) => {
    const isIt = !asked && verbs.has(call.verb) && writes++ === atWrite;
    if (!isIt) return await next();
    asked = true;
    if (when === 'before') await ask();
    const answer = await next();
    if (when === 'after') await ask();
    return answer;
  });
  return () => asked;
}

describe.each(Object.entries(journeys))('%s, asked to stop', (_title, journey) => {
  const { make, of, type, key, kept } = journey;
  for (const [how, ask] of Object.entries(asks)) {
    it.each(whens)(
      `${how}, %s each write of the node-agent: has ended within 30s and nothing is left`,
      async (when) => {
        const ends = new Map<string, number>();
        let points = 0;
        for (let write = 0; write < writesMax; write++) {
          const world = make();
          world.mover.script = 'complete';
          const asked = askAt(world, write, when, async () => {
            if (of(world) !== undefined) await ask(world, journey);
          });
          withAgents(world);
          await world.until(() => asked() || of(world)?.status?.phase === 'Completed', 60_000);
          if (!asked()) break;
          points += 1;
          const isOver = () => of(world) === undefined || !of(world)?.metadata.finalizers?.length;
          const phases = () => world.phases.get(`${type.kind}/${key.name}`) ?? [];
          await world.until(() => isOver() && (of(world) === undefined || phases().at(-1) !== 'New'), withinMs);
          await world.rest();
          const end = phases().at(-1) ?? '';
          // Deleted before a node-agent had taken it over: the object is gone, and what its creator made belongs to the creator.
          if (end === 'New' && how === 'by deletion' && of(world) === undefined) continue;
          expect(['Canceled', 'Completed'], `write ${write}`).toContain(end);
          ends.set(end, (ends.get(end) ?? 0) + 1);
          if (how === 'by deletion') expect(of(world), `write ${write}`).toBeUndefined();
          expect(leftovers(world, { volumes: kept(world, end) }), `write ${write}`).toEqual([]);
          await world.stop();
        }
        // A volume of a running pod needs nothing but the pod.
        expect(points).toBeGreaterThan(8);
        expect(points).toBeLessThan(writesMax);
        expect(ends.get('Canceled')).toBeGreaterThan(2);
      },
    );
  }
});
