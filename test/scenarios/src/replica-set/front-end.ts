import { errnoOf } from '@lateen/block-engine';
import type { ReplicaSet } from '@lateen/replica-set';
import { type Operation, sectorBytes, sectorsOf } from './history.ts';
import { unitBytes, volumeBytes, type World } from './world.ts';

/** A change that must survive a power loss once acknowledged: a write with FUA, or one before a flush that was answered. */
export interface Durable {
  readonly operation: Operation;
  isFlushed: boolean;
}

/** Uses the device of one engine with several parallel requests, and compares each with the content of all replicas when it is answered. */
export class FrontEnd {
  readonly name: string;
  readonly set: ReplicaSet;
  readonly generation: number;
  busy = 0;
  /** The engine is being stopped; no request is sent any more. */
  isStopping = false;
  readonly #world: World;
  readonly #durables: Durable[];

  constructor(o: { world: World; set: ReplicaSet; name: string; generation: number; durables: Durable[] }) {
    this.#world = o.world;
    this.set = o.set;
    this.name = o.name;
    this.generation = o.generation;
    this.#durables = o.durables;
  }

  /** Sends one request of any kind. An engine that is cut off gets mostly reads, because its writes never end. */
  ask(): void {
    const { dice, apart } = this.#world;
    this.busy += 1;
    const roll = apart.has(this.name) && dice.chance(0.8) ? 0 : dice.random.next();
    const work = roll < 0.4 ? this.#read() : roll < 0.8 ? this.#write() : roll < 0.92 ? this.#zero() : this.#flush();
    void work.finally(() => {
      this.busy -= 1;
    });
  }

  /** Consecutive sectors; often at the same place, so that requests overlap. */
  #area(): { at: number; length: number } {
    const { dice } = this.#world;
    const sectors = volumeBytes / sectorBytes;
    const first = dice.chance(0.5) ? dice.between(0, 4) : dice.between(0, sectors - 1);
    const most = Math.min(dice.chance(0.2) ? (2 * unitBytes) / sectorBytes + 1 : 2, sectors - first);
    return { at: first * sectorBytes, length: dice.between(1, most) * sectorBytes };
  }

  async #read(): Promise<void> {
    const { history } = this.#world;
    const { at, length } = this.#area();
    const operation = history.begin('read', at, length);
    await this.set.target.read(BigInt(at), length).then(
      (data) => {
        const values = sectorsOf(Buffer.concat(data));
        history.end(operation, values);
        this.#world.note(`${this.name} read ${at}+${length}: ${values.join(' ')}`);
      },
      () => {},
    );
  }

  #write(): Promise<void> {
    const value = this.#world.nextValue();
    const { at, length } = this.#area();
    const fua = this.#world.dice.chance(0.15);
    const bytes = new Uint8Array(length).fill(value);
    return this.#change(at, length, value, fua, this.set.target.write(BigInt(at), [bytes], { fua }));
  }

  #zero(): Promise<void> {
    const { at, length } = this.#area();
    const { target } = this.set;
    const isTrim = this.#world.dice.chance(0.5);
    const work = isTrim ? target.trim(BigInt(at), length) : target.zero(BigInt(at), length, { unmap: false });
    return this.#change(at, length, 0, false, work);
  }

  async #change(at: number, length: number, value: number, fua: boolean, work: Promise<void>): Promise<void> {
    const { history } = this.#world;
    const operation = history.begin('write', at, length, [value]);
    await work.then(
      () => {
        history.end(operation);
        this.#world.note(`${this.name} wrote ${value} to ${at}+${length}${fua ? ' with FUA' : ''}`);
        this.#durables.push({ operation, isFlushed: fua });
        this.#holdAgainstReplicas(operation, value);
      },
      (error: unknown) => {
        if (this.set.state.over === undefined) this.#refused(error, at, length);
      },
    );
  }

  async #flush(): Promise<void> {
    const before = this.#durables.filter(({ isFlushed }) => !isFlushed);
    await this.set.target.flush().then(
      () => {
        for (const durable of before) durable.isFlushed = true;
        this.#world.note(`${this.name} flushed`);
      },
      () => {},
    );
  }

  /** R3: a write may fail only on the last replica, and only with ENOSPC. */
  #refused(error: unknown, at: number, length: number): void {
    const names = [...this.set.state.modes.keys()];
    this.#world.note(`${this.name}: no room for ${at}+${length}`);
    if (errnoOf(error) === 'ENOSPC' && names.length === 1) return;
    this.#world.violated(`${this.name}: a write failed and the engine continues with ${names.join(' ')}`);
  }

  /** R1: every replica in the set, and every replica that a later generation may start with, has acknowledged writes. */
  #holdAgainstReplicas({ at, length }: Operation, value: number): void {
    const { api, replicas } = this.#world;
    // Another engine may have overwritten it before this answer arrived; the check of the history covers that.
    if (api.generation !== this.generation) return;
    for (const name of new Set([...api.candidates, ...this.set.state.modes.keys()])) {
      const replica = replicas.get(name);
      const bytes = replica?.readBytes(at, length);
      // The replica had the data, and its answer was still on the way.
      if (replica?.hasLostPower) continue;
      if (bytes?.some((byte) => byte !== value))
        this.#world.violated(
          `${this.name}: acknowledged ${value} at ${at}+${length}, and ${name} has ${sectorsOf(bytes).join(' ')}`,
        );
    }
  }
}
