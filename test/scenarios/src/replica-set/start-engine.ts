import type { FrontEnd } from './front-end.ts';
import { simulatedLimits, type Volume } from './volume.ts';
import type { World } from './world.ts';

const leaseMs = simulatedLimits.leaseMs ?? 0;
const promiseWaitMs = simulatedLimits.replyTimeoutMs ?? 0;

/**
 * Starts the next generation as the manager of the volume does: a new number, a promise of every replica that may have all data, a record
 * for those that do not answer, and a wait for the lease of the previous engine, unless that is known to have ended.
 */
export async function startNext(world: World, volume: Volume, isKnownEnded: boolean): Promise<FrontEnd | undefined> {
  if (volume.isStarting) return undefined;
  volume.isStarting = true;
  try {
    for (;;) {
      const { generation, names, isClean } = await beginGeneration(world);
      world.note(`manager: generation ${generation}, candidates ${names.join(' ') || 'none'}`);
      if (names.length === 0) {
        volume.isFaulted = true;
        return undefined;
      }
      const { promised, firstAtMs } = await promises(world, generation, names);
      for (const name of names) {
        if (!promised.has(name)) await persistently(world, () => world.api.recordFailure(generation, name));
      }
      if (!isKnownEnded) await world.clock.sleep(Math.max(firstAtMs + 1.25 * leaseMs - world.clock.monotonicMs(), 0));
      try {
        return volume.startEngine(generation, [...promised].sort(), isClean);
      } catch (error) {
        world.note(`manager: ${error instanceof Error ? error.message : error}`);
      }
    }
  } finally {
    volume.isStarting = false;
  }
}

async function beginGeneration(world: World) {
  const { api } = world;
  return await persistently(world, () => {
    const isClean = api.cleanStop === api.generation;
    api.generation += 1;
    return { generation: api.generation, names: api.candidates, isClean };
  });
}

/** Waits for at least one promise: a replica that does not answer may be the only one with all data. */
async function promises(world: World, generation: number, names: readonly string[]) {
  const promised = new Set<string>();
  const sinceMs = world.clock.monotonicMs();
  let firstAtMs = Number.POSITIVE_INFINITY;
  while (promised.size < names.length) {
    if (promised.size > 0 && world.clock.monotonicMs() - sinceMs > promiseWaitMs) break;
    for (const name of names) {
      if (promised.has(name)) continue;
      const replica = world.replicas.get(name);
      const send = world.between('manager', name);
      send(() => {
        if (replica === undefined || replica.isDead || replica.isHung || replica.promised > generation) return;
        if (replica.promised < generation) replica.promise(generation);
        send(() => {
          promised.add(name);
          firstAtMs = Math.min(firstAtMs, world.clock.monotonicMs());
        });
      });
    }
    await world.clock.sleep(10);
  }
  // Later promises are ignored.
  return { promised: new Set(promised), firstAtMs };
}

async function persistently<T>(world: World, act: () => T): Promise<T> {
  for (;;) {
    try {
      return await world.api.call('manager', act);
    } catch {
      await world.clock.sleep(10);
    }
  }
}
