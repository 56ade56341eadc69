import { rebuild } from './rebuild.ts';
import { startNext } from './start-engine.ts';
import type { Volume } from './volume.ts';
import type { World } from './world.ts';

type EngineEvent = (world: World, volume: Volume) => void;

/** An operation on an engine, or a fault of it. */
export const engineEvents: Readonly<Record<string, EngineEvent>> = {
  'a replica is rebuilt': (world, volume) => {
    const { front } = volume;
    if (front !== undefined) void rebuild(world, volume, front);
  },
  'a replica is dropped': (world, volume) => {
    const { front } = volume;
    if (front === undefined) return;
    const name = world.dice.pick([...front.set.state.modes.keys()]);
    front.set.drop(name, { kind: 'evicted', message: 'asked for' }).catch(() => {});
  },
};

/** Events of stories with several engines one after the other. */
export const generationEvents: Readonly<Record<string, EngineEvent>> = {
  ...engineEvents,
  'an engine ends': (world, volume) => {
    const { front } = volume;
    if (front === undefined || volume.isStarting) return;
    world.note(`${front.name} ends at once`);
    void front.set.stop({ signal: AbortSignal.abort() });
    void startNext(world, volume, true);
  },
  'an engine is stopped': (world, volume) => {
    const { front } = volume;
    if (front === undefined || front.isStopping || volume.isStarting) return;
    front.isStopping = true;
    void front.set.stop({ signal: world.clock.deadline(200) }).then(({ clean }) => {
      world.note(`${front.name} has stopped${clean ? ' cleanly' : ''}`);
      if (clean && world.api.generation === front.generation) world.api.cleanStop = front.generation;
      return startNext(world, volume, true);
    });
  },
  'an engine is cut off': (world, volume) => {
    const { front } = volume;
    if (front === undefined || volume.isStarting || world.apart.size > 0) return;
    // The replica on the engine's node is usually cut off with it; others sometimes.
    const modes = [...front.set.state.modes.keys()];
    const beside = modes.filter((_, i) => (i === 0 ? world.dice.chance(0.8) : world.dice.chance(0.2)));
    for (const name of [front.name, ...beside]) world.apart.add(name);
    world.note(`cut off from all others: ${[...world.apart].join(' ')}`);
    void startNext(world, volume, false);
  },
  'the network is whole again': (world) => {
    if (world.apart.size > 0) world.note('the network is whole again');
    world.apart.clear();
  },
};

/** Starts the next engine when the last one is over. */
export function follow(world: World, volume: Volume): void {
  const last = volume.frontEnds.at(-1);
  if (last === undefined || last.set.state.over === undefined || volume.isStarting || volume.isFaulted) return;
  void startNext(world, volume, true);
}
