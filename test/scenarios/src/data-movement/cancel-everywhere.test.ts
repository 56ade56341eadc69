import {
  type DataDownload,
  type DataUpload,
  dataDownloadType,
  dataUploadType,
  type ResourceType,
} from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { downloadWorld, uploadWorld } from '../world/movement-worlds.ts';
import { leftovers } from '../world/nothing-left.ts';
import { theDownload, theUpload, withAgents } from '../world/run-world.ts';
import type { World } from '../world/world.ts';

/*
 * Every point of a movement at which somebody can ask it to stop: before and after each write of the node-agent, from New to
 * the removal of the finalizer, by spec.cancel and by deletion. It has to have ended within 30 s, and nothing may leak.
 */
const kinds = [
  ['upload', uploadWorld, theUpload, dataUploadType],
  ['download', downloadWorld, theDownload, dataDownloadType],
] as const;
const whens = ['before', 'after'] as const;
/** More than either journey has; the tests end where no write comes any more. */
const writesMax = 60;
const withinMs = 30_000;
const verbs = new Set(['create', 'patch', 'update', 'delete']);

type Ask = (world: World, type: ResourceType, name: string) => Promise<void>;
const asks: Readonly<Record<string, Ask>> = {
  'by spec.cancel': async (world, type, name) => {
    world.cluster.change<DataUpload | DataDownload>(
      type as ResourceType<DataUpload>,
      { namespace: 'velero', name },
      (object) => {
        object.spec.cancel = true;
      },
    );
  },
  'by deletion': async (world, type, name) => {
    await world.cluster.delete(type, { namespace: 'velero', name });
  },
};

/** Lets `ask` happen at one write of the agent; tells whether that write came. */
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

describe.each(kinds)('%s, asked to stop', (name, make, of, type) => {
  for (const [how, ask] of Object.entries(asks)) {
    it.each(whens)(
      `${how}, %s each write of the node-agent: has ended within 30 s and nothing is left`,
      async (when) => {
        const ends = new Map<string, number>();
        let points = 0;
        for (let write = 0; write < writesMax; write++) {
          const world = make();
          world.mover.script = 'complete';
          const target = { ...type } as ResourceType;
          const asked = askAt(world, write, when, async () => {
            if (of(world) !== undefined) await ask(world, target, name);
          });
          withAgents(world);
          await world.until(() => asked() || of(world)?.status?.phase === 'Completed', 60_000);
          if (!asked()) break;
          points += 1;
          const isOver = () => of(world) === undefined || !of(world)?.metadata.finalizers?.length;
          const phases = () => world.phases.get(`${type.kind}/${name}`) ?? [];
          await world.until(() => isOver() && (of(world) === undefined || phases().at(-1) !== 'New'), withinMs);
          await world.rest();
          const end = phases().at(-1) ?? '';
          // Deleted before anybody had taken charge of it: it is gone, and what its creator made is the creator's.
          if (end === 'New' && how === 'by deletion' && of(world) === undefined) continue;
          expect(['Canceled', 'Completed'], `write ${write}`).toContain(end);
          ends.set(end, (ends.get(end) ?? 0) + 1);
          if (how === 'by deletion') expect(of(world), `write ${write}`).toBeUndefined();
          const restored = end === 'Completed' && name === 'download' ? [...world.storage.volumes] : [];
          const kept = name === 'upload' ? ['handle-pv-data'] : restored;
          expect(leftovers(world, { volumes: kept }), `write ${write}`).toEqual([]);
          await world.stop();
        }
        expect(points).toBeGreaterThan(10);
        expect(points).toBeLessThan(writesMax);
        expect(ends.get('Canceled')).toBeGreaterThan(4);
      },
    );
  }
});
