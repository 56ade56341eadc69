import { faults, heal } from './faults.ts';
import { notLinearizable } from './linearizable.ts';
import { lost } from './lost.ts';
import { type PlantedBug, Volume } from './volume.ts';
import { volumeBytes, World } from './world.ts';

export interface VolumeResult {
  seed: number;
  violations: readonly string[];
  trace: readonly string[];
  hash: string;
  /** How it ended, for figures. */
  end: string;
  operations: number;
}

/** One seed, from nothing to its verdict. */
export async function simulateVolume(seed: number, bug: PlantedBug = {}): Promise<VolumeResult> {
  const world = new World(seed);
  const volume = new Volume(world, bug);
  begin(world, volume);
  const steps = world.dice.between(80, 200);
  const depth = world.dice.between(1, 8);
  const trouble = world.dice.pick([0, 0.01, 0.03, 0.06]);
  for (let step = 0; step < steps; step++) {
    const { front } = volume;
    if (front !== undefined && front.busy < depth && world.dice.chance(0.5)) front.ask();
    if (world.dice.chance(trouble)) faults[world.dice.pick(Object.keys(faults))]?.(world, volume);
    world.deliver();
    await world.pass(world.dice.chance(0.05) ? world.dice.between(5, 60) : world.dice.between(0, 2));
  }
  await calm(world, volume);
  await judge(world, volume);
  return {
    seed,
    violations: world.violations,
    trace: world.trace.lines,
    hash: world.trace.hash,
    end: volume.front === undefined ? 'over' : `${volume.front.set.state.modes.size} replicas`,
    operations: world.history.operations.length,
  };
}

function begin(world: World, volume: Volume): void {
  const { api, dice } = world;
  api.generation = 1;
  const names = Array.from({ length: dice.between(1, 3) }, () => volume.makeReplica());
  for (const name of names) {
    world.replicas.get(name)?.promise(1);
    api.healthy.add(name);
  }
  volume.startEngine(1, names);
}

/** After all faults everything comes to rest: each request of the engine that serves is answered. */
async function calm(world: World, volume: Volume): Promise<void> {
  heal(world);
  for (let step = 0; step < 3_000; step++) {
    const { front } = volume;
    if (front === undefined || front.busy === 0) return;
    if (world.messages === 0) await world.pass(10);
    world.deliver();
    await world.pass(0);
  }
  world.violated(`${volume.front?.busy} requests wait for ever`);
}

async function judge(world: World, volume: Volume): Promise<void> {
  const { api, history, replicas } = world;
  const over = volume.front === undefined;
  for (const name of over ? [] : api.candidates) {
    const replica = replicas.get(name);
    if (replica === undefined) continue;
    history.saw(replica.content);
    for (const what of lost(replica.afterPowerLoss(), volume.durables, history)) world.violated(`${name}: ${what}`);
  }
  for (const wrong of notLinearizable(history.operations, volumeBytes)) world.violated(wrong);
  for (const front of volume.frontEnds) {
    if (front.set.state.pendingRequests !== front.busy && front === volume.front)
      world.violated(`${front.name} counts requests that are over`);
    await front.set.stop({ signal: AbortSignal.abort() });
  }
}
