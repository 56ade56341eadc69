import type { FrontEnd } from './front-end.ts';
import type { Volume } from './volume.ts';
import { unitBytes, type World } from './world.ts';

const pauseMs = 60;

/** Adds a replica: it takes writes, gets the frozen layers, and is then read from. */
export async function rebuild(world: World, volume: Volume, front: FrontEnd): Promise<void> {
  if (volume.isRebuilding) return;
  volume.isRebuilding = true;
  try {
    await attempt(world, volume, front);
  } catch (error) {
    world.note(`${front.name}: no rebuild: ${error instanceof Error ? error.message : error}`);
  } finally {
    volume.isRebuilding = false;
  }
}

async function attempt(world: World, volume: Volume, front: FrontEnd): Promise<void> {
  const { api, clock, dice } = world;
  const { set, generation, name: engine } = front;
  const resume = await set.pause({ maxMs: pauseMs, signal: new AbortController().signal });
  const frozen = sourceContent(world, front);
  const target = volume.makeReplica();
  const replica = world.replicas.get(target);
  if (replica === undefined || frozen === undefined) return;
  try {
    replica.promise(generation);
    set.addWriting(target, volume.connect(engine, generation, target), { widenBytes: unitBytes });
  } finally {
    await resume();
  }
  if (volume.bug.promotesEarly !== true) await clock.sleep(dice.between(5, 80));
  const resumeAgain = await set.pause({ maxMs: pauseMs, signal: new AbortController().signal });
  try {
    await set.relink(target, async () => {
      if (volume.bug.promotesEarly !== true) replica.setBase(frozen);
      await clock.sleep(dice.between(0, 5));
      return volume.connect(engine, generation, target);
    });
    await set.promote(target, () => {
      const version = api.version(target);
      return api.call(engine, () => api.recordHealthy(generation, target, version));
    });
  } finally {
    await resumeAgain();
  }
}

/** While no request is running, all readable replicas have the same bytes. */
function sourceContent(world: World, { set, name: engine }: FrontEnd): Uint8Array | undefined {
  // A replica that has just ended returns no snapshot; the engine learns of that a little later.
  const isThere = (name: string) => {
    const replica = world.replicas.get(name);
    return replica !== undefined && !replica.isDead && !replica.hasLostPower;
  };
  const readable = [...set.state.modes].filter(([name, mode]) => mode === 'RW' && isThere(name)).map(([name]) => name);
  const contents = readable.flatMap((name) => world.replicas.get(name)?.content ?? []);
  const [first] = contents;
  if (
    set.state.paused &&
    !set.state.comparing &&
    contents.some((content) => first && Buffer.compare(content, first) !== 0)
  )
    world.violated(`${engine}: ${readable.join(' ')} differ while nothing is under way`);
  return first;
}
