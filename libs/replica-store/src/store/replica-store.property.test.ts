import { settleAll } from '@lateen/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Death, deaths } from '../model/dying.ts';
import { ModelMachine, readUnit } from '../model/model-machine.ts';
import { type ModelStore, modelStore, viewOf } from '../model/model-replica.ts';
import { fileBelow, findSnapshot, headOf } from '../record/layer-tree.ts';
import type { ReplicaRecord } from '../record/replica-record.ts';
import type { LayerReader } from './readers.ts';
import { chainFiles } from './settle.ts';

const runs = Number(process.env.LATEEN_STORE_RUNS ?? 120);
const o = { signal: new AbortController().signal };
const victims = ['the call', 'the store', 'the daemon', 'both'] as const;

interface End {
  readonly step: number;
  readonly death: Death;
  readonly who: (typeof victims)[number];
}
type Move = { readonly which: number; readonly end: End | undefined } & (
  | { readonly do: 'write'; readonly value: number }
  | {
      readonly do:
        | 'snapshot'
        | 'revert'
        | 'remove'
        | 'purge'
        | 'grow'
        | 'restart'
        | 'read'
        | 'stop reading'
        | 'promise'
        | 'compare';
    }
);

const end = fc.option(
  fc.record({
    step: fc.integer({ min: 1, max: 24 }),
    death: fc.constantFrom(...deaths),
    who: fc.constantFrom(...victims),
  }),
  { nil: undefined },
);
const calls = [
  'snapshot',
  'snapshot',
  'revert',
  'remove',
  'remove',
  'purge',
  'purge',
  'purge',
  'grow',
  'restart',
  'read',
  'stop reading',
  'promise',
  'compare',
] as const;
const move = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      which: fc.nat(7),
      value: fc.nat(99),
      end: fc.constant(undefined),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom(...calls), which: fc.nat(3), end }) },
);

type Call = Exclude<Move, { do: 'write' }>;

/** A machine with one replica, and its expected content. */
class World {
  readonly #machine = new ModelMachine();
  #model: ModelStore = modelStore(this.#machine);
  #generation = 0;
  /** The generation in which the head was last served, and the one in which it was killed; 0 for none. */
  #served = 0;
  #killed = 0;
  #names = 0;
  #head: readonly number[] = new Array(4).fill(0);
  readonly #kept = new Map<string, readonly number[]>();
  readonly #readers = new Map<string, { content: readonly number[]; reader: LayerReader }>();

  async start(): Promise<void> {
    const sizeBytes = BigInt(this.#head.length) * 4096n;
    await this.#model.store.create({ sizeBytes, state: 'new', mayCreate: true }, o);
    await this.#model.store.open(o);
    await this.#serve();
    // Without this, few histories reach a merge.
    for (const value of [1, 2, 3, 4]) {
      for (let unit = 0; unit < value; unit++) this.#write(unit, value);
      await this.#call({ do: 'snapshot', which: 0, end: undefined });
    }
  }

  async #serve(): Promise<void> {
    const { store } = this.#model;
    await store.promise({ generation: ++this.#generation, engine: 'e' }, o);
    await store.serve({ generation: this.#generation, name: `head.${this.#generation}` }, o);
    this.#served = this.#generation;
  }

  /**
   * A replica whose daemon was killed reports it and is not served again to the same engine, because acknowledged writes may be lost; only a
   * later engine, which compares it, may use it. Without that mark nothing is lost: each step compares the content.
   */
  async #afterDeath(one: Call, losesDaemon: boolean): Promise<void> {
    const { store } = this.#model;
    const record = await store.record(o);
    const { generation, killedIn, servedIn } = record;
    if (one.do === 'compare' && killedIn === 0) this.#killed = 0;
    if (killedIn === this.#killed) {
      // The head had been closed or discarded.
      if (losesDaemon) expect(['restart', 'revert']).toContain(one.do);
      this.#served = servedIn;
      return;
    }
    // A restart whose flush failed reports it, too.
    if (!losesDaemon) expect(one.do).toBe('restart');
    this.#killed = this.#served;
    expect(killedIn).toBe(this.#killed);
    this.#head = viewOf(this.#machine, record, record.head);
    if (generation > this.#killed) return;
    await store.promise({ generation, engine: 'e' }, o);
    const again = store.serve({ generation, name: `head.${generation}` }, o);
    await expect(again).rejects.toMatchObject({ code: 'REPLICA_LAGS' });
    expect(this.#machine.write(0, 99)).toBe(false);
  }

  async step(one: Move): Promise<void> {
    if (one.do === 'write') this.#write(one.which, one.value);
    else await this.#call(one);
    await this.#check();
  }

  #write(which: number, value: number): void {
    const unit = which % this.#head.length;
    if (this.#machine.write(unit, value)) this.#head = this.#head.with(unit, value);
  }

  /** Runs the call and updates the expected content; with `end`, the process or daemon dies during the call, writes continue, and another process takes over. */
  async #call(one: Call): Promise<void> {
    const before = this.#head;
    const name = one.do === 'snapshot' ? `s${this.#names++}` : this.#pick(one.which);
    if (one.end === undefined) await this.#perform(one, name);
    else await this.#performDying(one, name, one.end);
    this.#learn(one, name, before, await this.#model.store.record(o));
    await this.#serve();
  }

  async #performDying(one: Call, name: string | undefined, { step, death, who }: End): Promise<void> {
    const losesDaemon = who === 'the daemon' || who === 'both';
    const isFinal = who === 'the store' || who === 'both';
    let isDead = false;
    const onDeath = () => {
      isDead = true;
      if (losesDaemon) this.#machine.killDaemon();
    };
    this.#model.arm({ step, death, isFinal, onDeath });
    await this.#perform(one, name).catch((error: unknown) => {
      if (!isDead) throw error;
    });
    this.#model.arm(undefined);
    if (!isDead) return;
    this.#write(one.which, 50 + one.which);
    if (losesDaemon) this.#machine.startDaemon();
    if (isFinal) this.#model = modelStore(this.#machine);
    if (isFinal || losesDaemon) this.#readers.clear();
    await this.#model.store.open(o);
    await this.#afterDeath(one, losesDaemon);
  }

  async #perform(one: Call, name: string | undefined): Promise<void> {
    const { store } = this.#model;
    if (one.do === 'snapshot') {
      const wanted = { name: name ?? '', createdAt: '2030-01-01T00:00:00Z', userCreated: true, labels: {} };
      if (one.which % 3 > 0) await store.prepareSnapshot(wanted, o);
      if (one.which % 3 === 2) await store.cancelSnapshot(o);
      else await store.snapshot(wanted, o);
    }
    if (one.do === 'purge') await settleAll([store.purge(o), one.which % 2 === 0 ? store.purge(o) : Promise.resolve()]);
    if (one.do === 'grow') await store.grow(BigInt(this.#head.length + (one.which % 2)) * 4096n, o);
    if (one.do === 'promise') await store.promise({ generation: ++this.#generation, engine: 'e' }, o);
    if (one.do === 'restart') {
      this.#readers.clear();
      await store.close(o);
      await store.open(o);
    }
    if (one.do === 'compare') {
      await store.compared(this.#generation, o);
      this.#killed = 0;
    }
    if (name === undefined) return;
    if (one.do === 'revert') await store.revert(name, o);
    if (one.do === 'remove') await store.markRemoved(name, o);
    if (one.do === 'read' && !this.#readers.has(name)) {
      const reader = await store.openReader({ snapshot: name, view: 'chain', exportName: name }, o);
      this.#readers.set(name, { content: this.#kept.get(name) ?? [], reader });
    }
    if (one.do === 'stop reading') {
      const open = this.#readers.get(name);
      this.#readers.delete(name);
      await open?.reader.close(o);
    }
  }

  /** The requested change has happened or not; both are correct, and the record says which. */
  #learn(one: Move, name: string | undefined, before: readonly number[], record: ReplicaRecord): void {
    if (one.do === 'snapshot' && name !== undefined && findSnapshot(record, name) !== undefined)
      this.#kept.set(name, before);
    if (name !== undefined && findSnapshot(record, name)?.snapshot.removed === true) this.#kept.delete(name);
    if (one.do === 'remove' && name !== undefined && findSnapshot(record, name) === undefined) this.#kept.delete(name);
    const units = Number(record.sizeBytes) / 4096;
    this.#head = Array.from({ length: units }, (_, unit) => this.#head[unit] ?? 0);
    if (one.do !== 'revert' || name === undefined) return;
    const target = this.#kept.get(name) ?? [];
    const reverted = Array.from({ length: units }, (_, unit) => target[unit] ?? 0);
    if (viewOf(this.#machine, record, record.head).join() === reverted.join()) this.#head = reverted;
  }

  async #check(): Promise<void> {
    const record = await this.#model.store.record(o);
    expect([record.servedIn, record.killedIn]).toEqual([this.#served, this.#killed]);
    expect(viewOf(this.#machine, record, record.head)).toEqual(this.#head);
    for (const [name, content] of this.#kept) {
      const layer = findSnapshot(record, name);
      expect(layer && viewOf(this.#machine, record, layer.id), `snapshot ${name}`).toEqual(content);
    }
    expect([...this.#machine.images.keys()].sort()).toEqual(record.layers.map(({ file }) => file).sort());
    for (const layer of record.layers) {
      const isRelinking = record.pending.some((one) => one.kind === 'relink' && one.layer === layer.id);
      expect(layer.fileBytesMin ?? 0).toBeLessThanOrEqual((this.#machine.image(layer.file).units.size + 1) * 4096);
      if (!isRelinking) expect(this.#machine.image(layer.file).backingFile).toBe(fileBelow(record, layer));
    }
    expect(this.#machine.daemon?.chain.map(({ file }) => file)).toEqual(chainFiles(record));
    expect(this.#machine.image(headOf(record).file).sizeBytes).toBe(BigInt(record.sizeBytes));
    for (const [name, { content }] of this.#readers) {
      const exports = [...(this.#machine.daemon?.layerExports.values() ?? [])];
      const chain = exports.find((one) => one.name === name)?.images ?? [];
      expect(content.map((_, unit) => readUnit(chain, unit))).toEqual(content);
    }
  }

  #pick(which: number): string | undefined {
    return [...this.#kept.keys()][which % Math.max(1, this.#kept.size)];
  }
}

describe('a replica', () => {
  it('keeps the content of its volume and snapshots, leaks no file and changes nothing under a reader, after a crash at any step', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 4, maxLength: 25, size: 'max' }), async (moves) => {
        const world = new World();
        await world.start();
        for (const one of moves) await world.step(one);
      }),
      { numRuns: runs },
    );
  });
});
