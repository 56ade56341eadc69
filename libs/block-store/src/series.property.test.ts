import { isAppError } from '@lateen/errors';
import type { ObjectStore } from '@lateen/object-store';
import { FakeClock, faultyObjectStore, letTimePass, memoryObjectStore, seededRandom } from '@lateen/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ModelVolume, modelSink } from './model-volume.ts';
import { blockHash } from './names/block-hash.ts';
import { blockBytes, paths, storeUnderTest, volumeName } from './store-under-test.ts';

/** For more runs: LATEEN_BLOCK_STORE_RUNS=5000 vitest run --project unit libs/block-store. */
const runs = Number(process.env.LATEEN_BLOCK_STORE_RUNS ?? 150);

const blocks = 6;
const sizeBytes = blocks * blockBytes;

/** The process dies after this number of calls, and the response of the last may be lost. Undefined: it lives. */
const death = fc.option(fc.record({ afterCalls: fc.nat(40), isDone: fc.boolean() }), { nil: undefined, freq: 2 });
const which = fc.nat(5);

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('write'), at: fc.nat(sizeBytes - 1), length: fc.nat(200), fill: fc.nat(3) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('backup'),
      isFull: fc.nat(3).map((one) => one === 0),
      isWide: fc.nat(4).map((one) => one === 0),
      death,
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove'), which, death }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('follow'), which, death }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('revert'), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop'), which }) },
) as fc.Arbitrary<Step>;

type Death = { afterCalls: number; isDone: boolean } | undefined;
type Step =
  | { do: 'write'; at: number; length: number; fill: number }
  | { do: 'backup'; isFull: boolean; isWide: boolean; death: Death }
  | { do: 'remove' | 'follow'; which: number; death: Death }
  | { do: 'revert' | 'drop'; which: number };

it('restores byte for byte after any series of backups and deletions by processes that may die anywhere, and leaves no unused block', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      const world = new World();
      for (const each of steps) {
        await world.take(each);
        world.checkBlocks();
      }
      await world.checkRestores();
      await world.checkNothingStays();
    }),
    { numRuns: runs },
  );
});

const pick = <T>(from: readonly T[], at: number): T | undefined => from[at % Math.max(from.length, 1)];

class World {
  readonly #clock = new FakeClock();
  readonly #memory = memoryObjectStore({ clock: this.#clock });
  readonly #under = storeUnderTest({
    clock: this.#clock,
    memory: this.#memory,
    random: seededRandom(),
    pass: (work) => letTimePass(work, this.#clock),
  });
  readonly #volume = new ModelVolume(sizeBytes, blockBytes / 4);
  /** The content of the snapshot, by the name of the backup, complete or not. */
  readonly #bytes = new Map<string, Uint8Array>();
  /** A standby volume that follows the backups. */
  readonly #standby = modelSink(new Uint8Array(sizeBytes).fill(0xdd));
  #holds: { since?: string | undefined; begun?: string | undefined } = {};
  #count = 0;

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'write':
        return this.#volume.write(step.at, Buffer.alloc(Math.min(step.length, sizeBytes - step.at) || 1, step.fill));
      case 'revert':
        return this.#onSnapshot(step.which, (name) => this.#volume.revert(name));
      case 'drop':
        return this.#onSnapshot(step.which, (name) => this.#volume.deleteSnapshot(name));
      case 'backup':
        return await this.#backUp(step);
      case 'remove':
        return await this.#remove(step.which, step.death);
      case 'follow':
        return await this.#follow(step.which, step.death);
    }
  }

  #onSnapshot(at: number, act: (name: string) => void): void {
    const name = pick(this.#volume.snapshots, at);
    if (name !== undefined) act(name);
  }

  async #backUp({ isFull, isWide, death }: Step & { do: 'backup' }): Promise<void> {
    const [snapshot, backup] = [`snap-${++this.#count}`, `backup-${this.#count}`];
    this.#volume.snapshot(snapshot);
    this.#bytes.set(backup, this.#volume.bytesOf(snapshot));
    const change = {
      backup,
      mode: isFull ? 'full' : 'incremental',
      blockBytes: isWide ? 2 * blockBytes : blockBytes,
    } as const;
    const ended = await this.#unlessDead(death, (store) =>
      this.#under.backup(this.#volume, snapshot, change, this.#under.client(store)),
    );
    if (ended) expect(this.#complete()).toContain(backup);
  }

  async #remove(at: number, death: Death): Promise<void> {
    const name = pick([...this.#bytes.keys()], at);
    if (name === undefined) return;
    const ended = await this.#unlessDead(death, (store) => this.#removed(name, store));
    if (ended) expect(this.#memory.objects.has(paths.backup(name))).toBe(false);
  }

  #removed(name: string, store: ObjectStore = this.#memory) {
    return this.#under.pass(this.#under.client(store).deleteBackup(volumeName, name, this.#under));
  }

  async #follow(at: number, death: Death): Promise<void> {
    const name = pick(this.#complete(), at);
    if (name === undefined) return;
    // Without this limit, the blocks of a third backup would be unknown.
    if (this.#holds.begun !== undefined && this.#holds.begun !== name) {
      const earlier = this.#complete().includes(this.#holds.begun);
      if (!earlier || death !== undefined) this.#holds = {};
    }
    const call = { signal: this.#under.signal, ...this.#holds };
    const { since } = this.#holds;
    const work = (store: ObjectStore) =>
      this.#under.pass(this.#under.client(store).restore(volumeName, name, this.#standby, call));
    const ended = await this.#unlessDead(death, work);
    this.#holds = ended ? { since: name } : since === undefined ? {} : { since, begun: name };
    if (ended) expect(Buffer.from(this.#standby.bytes).equals(this.#bytes.get(name) ?? Buffer.alloc(0))).toBe(true);
  }

  /** @returns false when the process died first; its lock has then expired */
  async #unlessDead(death: Death, work: (store: ObjectStore) => Promise<unknown>): Promise<boolean> {
    if (death === undefined) {
      await work(this.#memory);
      return true;
    }
    const died = new Error('died');
    const lost = death.isDone ? [{ after: death.afterCalls, times: 1, fault: { loseAnswer: died } }] : [];
    const store = faultyObjectStore(this.#memory, [...lost, { after: death.afterCalls, fault: { fail: died } }]);
    const isAlive = await work(store).then(
      () => true,
      (error: unknown) => {
        if (error === died || isAppError(error, 'BLOCK_STORE_LOCK_LOST')) return false;
        throw error;
      },
    );
    await this.#clock.advance(160_000);
    return isAlive;
  }

  /** Names of backups that any client considers complete. */
  #complete(): string[] {
    return [...this.#bytes.keys()].filter((name) => {
      if (!this.#memory.objects.has(paths.backup(name))) return false;
      return JSON.parse(this.#memory.text(paths.backup(name))).CreatedTime !== '';
    });
  }

  checkBlocks(): void {
    for (const name of this.#complete()) {
      const { Blocks = [] } = JSON.parse(this.#memory.text(paths.backup(name)));
      for (const { BlockChecksum } of Blocks) {
        const bytes = this.#memory.objects.get(paths.block(BlockChecksum));
        expect(bytes !== undefined && blockHash(bytes) === BlockChecksum, `a block of ${name}`).toBe(true);
      }
    }
  }

  async checkRestores(): Promise<void> {
    for (const name of this.#complete()) {
      for (const isNew of [true, false]) {
        const sink = modelSink(new Uint8Array(sizeBytes).fill(isNew ? 0 : 0xee));
        const call = { signal: this.#under.signal, isNew };
        await this.#under.pass(this.#under.client().restore(volumeName, name, sink, call));
        expect(Buffer.from(sink.bytes).equals(this.#bytes.get(name) ?? Buffer.alloc(0)), name).toBe(true);
      }
    }
  }

  async checkNothingStays(): Promise<void> {
    for (const name of this.#bytes.keys()) await this.#removed(name);
    expect([...this.#memory.objects.keys()].filter((key) => key.startsWith(paths.blocks))).toEqual([]);
    if (!this.#memory.objects.has(paths.config)) return;
    const { blockCount, lastBackupName } = await this.#under.client().readVolume(volumeName, this.#under);
    expect({ blockCount, lastBackupName }).toEqual({ blockCount: 0n, lastBackupName: '' });
  }
}
