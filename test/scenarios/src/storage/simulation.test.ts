import { nodeType } from '@lateen/api-types';
import { generationOf } from '@lateen/storage-types';
import { seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { aSetting, aVolume } from './storage-objects.ts';
import { type Manager, StorageWorld } from './storage-world.ts';

const runs = Number(process.env.LATEEN_STORAGE_RUNS ?? 2);
const stepsPerRun = 40;

/** A volume, a pod that uses it on changing nodes, and faults of nodes, processes, managers and watches. */
class Simulated {
  readonly world = new StorageWorld({
    objects: [aVolume('vol'), aSetting('replica-replenishment-wait-interval', '60')],
  });
  readonly history: string[] = [];
  readonly #random: ReturnType<typeof seededRandom>;
  readonly #managers = new Map<string, Manager>();
  #generation = 0;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    for (const node of this.world.nodes) this.#managers.set(node, this.world.start(node));
  }

  #one<T>(of: readonly T[]): T {
    return of[Math.floor(this.#random.next() * of.length)] as T;
  }

  /** Steps by name. */
  readonly #acts: Readonly<Record<string, () => void | Promise<void>>> = {
    write: () => this.write(),
    writeMore: () => {
      for (let n = 0; n < 5; n++) this.write();
    },
    time: () => this.world.clock.advance(this.#random.next() * 60_000),
    lose: () => this.world.hosts.setNode(this.#one(this.world.nodes), this.#one(['dead', 'cut'] as const)),
    down: () => this.world.setNode(this.#one(this.world.nodes), this.#one(['dead', 'cut'] as const)),
    back: () => this.world.setNode(this.#one(this.world.nodes), 'up'),
    killEngine: () => this.world.hosts.engineOf('vol')?.kill(),
    killReplica: () => this.world.hosts.node(this.#one(this.world.nodes)).killReplica(this.#replica()),
    killManager: async () => {
      const node = this.#one(this.world.nodes);
      await this.#managers.get(node)?.stop();
      this.#managers.set(node, this.world.start(node));
    },
    move: () => this.#move(),
    watches: () => {
      this.world.cluster.closeWatches({}).compact();
    },
    apiAway: async () => {
      this.world.hosts.records.away = true;
      await this.world.clock.advance(10_000);
      this.world.hosts.records.away = false;
    },
  };

  async step(): Promise<void> {
    const name = this.#one(Object.keys(this.#acts));
    this.history.push(name);
    await this.#acts[name]?.();
    await this.world.clock.advance(1_000 + this.#random.next() * 5_000);
    this.check();
  }

  /** Every acknowledged write is on every replica in use, and no older generation acknowledges after a newer one. */
  write(): void {
    const { world } = this;
    const engines = world.hosts.enginesOf('vol');
    for (const engine of engines) {
      const id = world.nextWrite();
      if (!engine.write(id)) continue;
      world.acknowledged.push(id);
      for (const name of engine.modes.keys()) world.hosts.disks.get(name)?.flushed.add(id);
      expect(engine.run.generation).toBeGreaterThanOrEqual(this.#generation);
      this.#generation = engine.run.generation;
    }
    this.check();
  }

  check(): void {
    const { world } = this;
    const engine = world.engine();
    const running = world.hosts.engineOf('vol');
    if (engine === undefined || running === undefined || running.run.generation !== generationOf(engine)) return;
    for (const [name, mode] of running.modes)
      if (
        mode === 'RW' &&
        running.state === 'running' &&
        world.hosts.disks.get(name)?.promised === running.run.generation
      )
        expect(world.lacking(name), `${name} in start ${running.run.generation}`).toEqual([]);
  }

  /** All nodes are back, and the pod needs its volume on the first one. */
  async recover(): Promise<void> {
    const { world } = this;
    for (const node of world.nodes) await world.setNode(node, 'up');
    for (const node of world.nodes) world.detach(node);
    world.attach('n1');
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy' && this.#writes(), {
      withinMs: 7_200_000,
    });
    for (const [name, mode] of world.hosts.engineOf('vol')?.modes ?? [])
      if (mode === 'RW') expect(world.lacking(name)).toEqual([]);
  }

  #writes(): boolean {
    return this.world.write();
  }

  #replica(): string {
    return this.#one(this.world.replicas())?.metadata.name ?? '';
  }

  #move(): void {
    for (const node of this.world.nodes) {
      this.world.detach(node);
      this.world.cluster.change(nodeType, { name: node }, (object) => {
        object.spec = {};
      });
    }
    if (this.#random.next() < 0.8) this.world.attach(this.#one(this.world.nodes));
  }
}

describe('with any faults of nodes, processes and managers', () => {
  it.each(Array.from({ length: runs }, (_, seed) => seed))(
    'no acknowledged write is lost, and the volume recovers: seed %i',
    async (seed) => {
      const simulated = new Simulated(seed);
      const { world, history } = simulated;
      await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
      world.attach('n1');
      await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
      try {
        for (let step = 0; step < stepsPerRun; step++) await simulated.step();
        await simulated.recover();
      } catch (error) {
        throw new Error(`seed ${seed} after ${history.join(', ')}: ${error}`, { cause: error });
      }
      expect(world.acknowledged.length).toBeGreaterThan(0);
    },
  );
});
