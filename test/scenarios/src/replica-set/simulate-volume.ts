import { engineEvents, follow, generationEvents } from './engine-events.ts';
import { faults, heal } from './faults.ts';
import type { FrontEnd } from './front-end.ts';
import { notLinearizable } from './linearizable.ts';
import { lost } from './lost.ts';
import { type PlantedBug, Volume } from './volume.ts';
import { volumeBytes, World } from './world.ts';

export interface VolumeResult {
  seed: number;
  violations: readonly string[];
  trace: readonly string[];
  hash: string;
  /** How the simulation ended, for statistics. */
  end: string;
  lastedMs: number;
}

/** Runs one seed from start to result. */
export async function simulateVolume(seed: number, bug: PlantedBug = {}): Promise<VolumeResult> {
  const world = new World(seed);
  const volume = new Volume(world, bug);
  begin(world, volume);
  const cutAt = world.dice.chance(0.5) ? world.dice.between(10, 100) : -1;
  const wholeAt = cutAt + world.dice.between(30, 200);
  const isLong = volume.kind === 'generations';
  const steps = Math.max(world.dice.between(80, 200), isLong && cutAt > 0 ? wholeAt + 20 : 0);
  const depth = world.dice.between(1, 8);
  const trouble = world.dice.pick([0, 0.01, 0.03, 0.06]);
  for (let step = 0; step < steps; step++) {
    // Engines that are cut off still get requests, because their clients do not know.
    for (const front of volume.frontEnds) {
      const most = depth + (world.apart.has(front.name) ? 16 : 0);
      if (front.set.state.over === undefined && !front.isStopping && front.busy < most && world.dice.chance(0.5))
        front.ask();
    }
    if (world.dice.chance(trouble)) happen(world, volume);
    if (isLong && step === cutAt) generationEvents['an engine is cut off']?.(world, volume);
    if (isLong && step === wholeAt) generationEvents['the network is whole again']?.(world, volume);
    if (isLong) follow(world, volume);
    world.deliver();
    await world.pass(world.dice.chance(0.05) ? world.dice.between(5, 20) : world.dice.between(0, 2));
  }
  await calm(world, volume);
  const end = endOf(world, volume);
  await judge(world, volume);
  return {
    seed,
    violations: world.violations,
    trace: world.trace.lines,
    hash: world.trace.hash,
    end,
    lastedMs: world.clock.monotonicMs(),
  };
}

function endOf({ api }: World, { front, isFaulted }: Volume): string {
  const engines = `${api.generation} generation${api.generation === 1 ? '' : 's'}`;
  if (front === undefined) return `${engines}, ${isFaulted ? 'no replica left' : 'over'}`;
  return `${engines}, ${front.set.state.modes.size} replicas`;
}

function happen(world: World, volume: Volume): void {
  const { dice } = world;
  const isLong = volume.kind === 'generations';
  const events = dice.chance(0.5) ? faults : isLong ? generationEvents : engineEvents;
  const name = dice.pick(Object.keys(events));
  if (isLong && name === 'a replica loses power') return;
  events[name]?.(world, volume);
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

/** After all faults the volume comes to rest: each request of the serving engine is answered. */
async function calm(world: World, volume: Volume): Promise<void> {
  heal(world);
  for (let step = 0; step < 3_000; step++) {
    const { front } = volume;
    if (volume.kind === 'generations') follow(world, volume);
    const isOver = front === undefined && (volume.isFaulted || volume.kind === 'one engine');
    if (!volume.isStarting && !volume.isRebuilding && (isOver || (front !== undefined && isAtRest(front)))) return;
    if (world.messages === 0) await world.pass(10);
    world.deliver();
    await world.pass(0);
  }
  world.violated(`${volume.front?.busy ?? 'no engine: all'} requests wait for ever`);
}

const isAtRest = ({ busy, set: { state } }: FrontEnd): boolean =>
  busy === 0 && !state.comparing && state.unrecorded.length === 0;

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
    if (front === volume.front && !front.isStopping && front.set.state.pendingRequests !== front.busy)
      world.violated(`${front.name} counts requests that are over`);
    await front.set.stop({ signal: AbortSignal.abort() });
  }
}
