import { hostError, type ReplicaControl } from '@lateen/block-engine';
import { settleAll } from '@lateen/kernel';
import { kubeError } from '@lateen/kube';
import { engineType } from '@lateen/storage-types';
import { letWorkRun } from '@lateen/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { engineKey, engineWorld } from './engine-world.ts';
import { unit } from './model-volume.ts';

const signal = new AbortController().signal;
const engine = { engine: 'v-e-0', generation: 7 };
const names = ['a', 'b', 'c'] as const;
const calls = [
  'prepareSnapshot',
  'snapshot',
  'revert',
  'grow',
  'beginRebuild',
  'copyLayers',
  'attachLayers',
  'markRemoved',
  'layers',
  'purge',
] as const satisfies readonly (keyof ReplicaControl)[];

const fault = fc.record({
  on: fc.constantFrom(...names),
  call: fc.constantFrom(...calls),
  how: fc.constantFrom('refuses' as const, 'is silent' as const, 'is lost' as const, 'dies' as const),
});
const move = fc.record({
  do: fc.constantFrom('write', 'snapshot', 'delete', 'purge', 'revert', 'grow', 'rebuild', 'rebuild', 'drop'),
  which: fc.nat(7),
  value: fc.integer({ min: 1, max: 200 }),
  fault: fc.option(fault, { nil: undefined }),
  isApiAway: fc.boolean(),
});
type Move = typeof move extends fc.Arbitrary<infer M> ? M : never;

/** One engine over three replicas: the calls, the faults meanwhile, and the expected content. */
class History {
  readonly #world = engineWorld(['a', 'b', 'c']);
  #content = new Uint8Array(16 * unit);
  readonly #kept = new Map<string, Uint8Array>();
  #names = 0;
  #isApiAway = false;

  async start(): Promise<void> {
    this.#world.cluster.intercept(async (_, next) => {
      if (this.#isApiAway) throw kubeError('KUBE_UNAVAILABLE', 'no connection');
      return next();
    });
    await this.#world.start();
  }

  async step(one: Move): Promise<void> {
    if (one.fault !== undefined) this.#arm(one.fault);
    // A failure of a replica while the API server is not reachable is held until it is reachable again.
    this.#isApiAway = one.isApiAway;
    const doing = this.#perform(one).then(
      () => true,
      (error: { code?: string }) => {
        // Every failure has a code.
        expect(error.code).toBeTypeOf('string');
        return false;
      },
    );
    for (let seconds = 0; seconds < 4; seconds++) await this.#second();
    this.#isApiAway = false;
    let isDone = false;
    void doing.finally(() => {
      isDone = true;
    });
    for (let seconds = 0; seconds < 200 && !isDone; seconds++) await this.#second();
    expect(isDone).toBe(true);
    // The record is retried within 5 s.
    for (let seconds = 0; seconds < 8; seconds++) await this.#second();
    for (const name of names) this.#world.hostOf(name).before.clear();
    await this.#check();
  }

  async #second(): Promise<void> {
    await letWorkRun();
    await this.#world.clock.advance(1_000);
    await letWorkRun();
  }

  #arm({ on, call, how }: typeof fault extends fc.Arbitrary<infer F> ? F : never): void {
    const host = this.#world.hostOf(on);
    host.before.set(call, () => {
      if (how === 'refuses') throw hostError('NOT_POSSIBLE_NOW', 'not now');
      if (how === 'is lost') throw hostError('HOST_UNREACHABLE', 'no answer');
      if (how === 'dies') return this.#killUnlessLast(on);
      return how === 'is silent' ? new Promise(() => {}) : undefined;
    });
  }

  /** Losing the last replica ends the engine; other tests cover that. */
  async #killUnlessLast(name: string): Promise<void> {
    const readable = await this.#readable();
    if (readable.some((other) => other.name !== name)) this.#world.hostOf(name).head.cut();
  }

  async #perform(one: Move): Promise<void> {
    const { host, target } = this.#world;
    const o = { signal };
    const snapshot = [...this.#kept.keys()][one.which % Math.max(1, this.#kept.size)];
    if (one.do === 'write') await this.#write(one);
    if (one.do === 'snapshot') await this.#snapshot();
    if (one.do === 'grow') {
      const sizeBytes = target().sizeBytes + BigInt(unit);
      if (sizeBytes <= BigInt(24 * unit)) await host.engineGrow({ ...engine, sizeBytes }, o);
    }
    if (one.do === 'purge') for await (const _ of host.enginePurge(engine, o));
    if (one.do === 'rebuild') await this.#rebuild(names[one.which % 3] ?? 'a', one.value);
    if (one.do === 'drop')
      await host.engineDropReplica({ ...engine, replica: names[one.which % 3] ?? 'a', cause: '', message: '' }, o);
    if (snapshot === undefined) return;
    if (one.do === 'delete') {
      this.#kept.delete(snapshot);
      await host.engineSnapshotDelete({ ...engine, snapshot }, o);
    }
    if (one.do === 'revert') await this.#revert(snapshot);
  }

  async #write({ which, value }: Pick<Move, 'which' | 'value'>): Promise<void> {
    await this.#world.target().write(BigInt(which * unit), [new Uint8Array(unit).fill(value)]);
    this.#content.fill(value, which * unit, (which + 1) * unit);
  }

  async #snapshot(): Promise<void> {
    const name = `s${this.#names++}`;
    const facts = { userCreated: true, created: '2030-01-01T00:00:00Z', labels: {}, freeze: false };
    const { replicas } = await this.#world.host.engineSnapshot({ ...engine, snapshot: name, ...facts }, { signal });
    expect(replicas.length).toBeGreaterThan(0);
    this.#kept.set(name, this.#content.slice());
  }

  async #revert(snapshot: string): Promise<void> {
    // A revert that fails has changed all replicas or none; the content shows which.
    const kept = this.#kept.get(snapshot) ?? new Uint8Array();
    try {
      await this.#world.host.engineRevert({ ...engine, snapshot }, { signal });
      this.#content = kept.slice();
      const order = [...this.#kept.keys()];
      for (const later of order.slice(order.indexOf(snapshot) + 1)) this.#kept.delete(later);
    } catch (error) {
      const [readable] = await this.#readable();
      const now = readable?.head.content.subarray(0, this.#content.length);
      if (now !== undefined && Buffer.compare(now, kept) === 0) this.#content = kept.slice();
      throw error;
    }
  }

  /** As the manager does it: first the earlier failure is processed. Writes continue meanwhile. */
  async #rebuild(replica: string, value: number): Promise<void> {
    const { cluster, host, instance } = this.#world;
    const { engine: state } = await instance();
    if (state?.modes[replica] !== undefined) return;
    const body = { status: { replicaModeMap: { [replica]: null as never } } };
    if (!this.#isApiAway)
      await cluster.patch(engineType, engineKey, { type: 'merge', body }, { subresource: 'status' });
    const managers = { a: 'a:1', b: 'b:1', c: 'c:1' };
    const address = { replica, host: replica, port: 1, local: false };
    const request = { ...engine, replica: address, managers, fast: true, copiesAtOnce: 1 };
    const rebuilding = (async () => {
      for await (const _ of host.engineAddReplica(request, { signal }));
    })();
    await settleAll([rebuilding, this.#write({ which: value % 8, value })]);
  }

  async #readable() {
    const { engine: state } = await this.#world.instance();
    return names.filter((name) => state?.modes[name] === 'RW').map((name) => this.#world.hostOf(name));
  }

  async #check(): Promise<void> {
    const { state, engine: shown } = await this.#world.instance();
    expect(state).toBe('running');
    expect(shown).toMatchObject({ holding: false, paused: false });
    const recorded = (await this.#world.modesNow()) ?? {};
    const readable = await this.#readable();
    expect(readable.length).toBeGreaterThan(0);
    for (const { name, head, layersDown } of readable) {
      expect(recorded[name], `${name} is read`).toBe('RW');
      expect(Buffer.compare(head.content.subarray(0, this.#content.length), this.#content), `${name} reads`).toBe(0);
      for (const [snapshot, content] of this.#kept) {
        const found = layersDown.find(({ fact }) => fact.name === snapshot);
        const bytes = found?.content.subarray(0, content.length) ?? new Uint8Array();
        expect(Buffer.compare(bytes, content), `${snapshot} of ${name}`).toBe(0);
      }
    }
    // A replica that has left was recorded as failed, or was never in use.
    for (const name of names) {
      if (shown?.modes[name] !== undefined) continue;
      expect(['ERR', undefined]).toContain(recorded[name]);
    }
  }
}

it('all readable replicas have all answered writes and each snapshot, whichever operation of an engine fails', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 4, maxLength: 14, size: 'max' }), async (moves) => {
      const history = new History();
      await history.start();
      for (const one of moves) await history.step(one);
    }),
    { numRuns: Number(process.env.LATEEN_ENGINE_RUNS ?? 15) },
  );
});
