import type { ReplicaMode } from '@lateen/storage-types';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { aCluster, aNode } from '../scheduler/example-cluster.ts';
import { defaultSettings } from '../settings/read-settings.ts';
import { anEngine, aReplica, aVolumeObject } from './example-volume.ts';
import { foldFailures } from './fold-failures.ts';
import { decideSalvage } from './salvage.ts';
import { wholeAddresses } from './volume-facts.ts';

/** Three replicas, the acknowledged writes, and the objects as managers and recorder write them; node clocks may differ by an hour. */
class History {
  readonly acknowledged: number[] = [];
  readonly content = new Map<string, Set<number>>([1, 2, 3].map((n) => [`r${n}`, new Set()]));
  readonly failedAt = new Map<string, string>();
  modes: Record<string, ReplicaMode> = {};
  addresses: string[] = [];
  /** Replicas of the running engine; undefined when no engine runs. */
  set: Set<string> | undefined;
  /** Replicas that were in use at the end of the last engine: all of them have every write. */
  last = new Set<string>();

  objects() {
    const replicas = [...this.content.keys()].map((name) =>
      aReplica(name, `n${name.slice(1)}`, { failedAt: this.failedAt.get(name) ?? '' }),
    );
    return { engine: anEngine(this.modes, this.addresses), replicas };
  }
  write(): void {
    if (this.set === undefined) return;
    const id = this.acknowledged.length;
    for (const name of this.set) this.content.get(name)?.add(id);
    this.acknowledged.push(id);
  }
  /** One replica fails: the failure is recorded, and the others continue. The failure of the last one ends the engine and is not recorded. */
  fail(name: string, time: string, recorderDies: boolean): void {
    if (!this.set?.has(name)) return;
    if (this.set.size === 1) {
      this.set = undefined;
      return;
    }
    this.set.delete(name);
    this.last.delete(name);
    this.modes[name] = 'ERR';
    if (!recorderDies) this.failedAt.set(name, time);
  }
  fold(time: string): void {
    const { engine, replicas } = this.objects();
    const { failures, leave } = foldFailures(engine, replicas, Date.parse(time));
    this.addresses = this.addresses.filter((name) => !leave.includes(name));
    for (const { replica, failedAt } of failures) this.failedAt.set(replica, failedAt);
  }
  /** A start as designed; it may end before the engine has its replicas, and its status may be late. */
  start(silent: readonly string[], time: string, dies: boolean, statusIsLate: boolean): void {
    this.set = undefined;
    this.fold(time);
    const candidates = [...this.content.keys()].filter((name) => !this.failedAt.has(name));
    const answering = candidates.filter((name) => !silent.includes(name));
    if (answering.length === 0) return;
    this.addresses = Object.keys(wholeAddresses(this.objects().engine));
    this.modes = {};
    for (const name of candidates) if (!answering.includes(name)) this.failedAt.set(name, time);
    if (dies) return;
    this.addresses = answering;
    if (!statusIsLate) this.modes = Object.fromEntries(answering.map((name) => [name, 'RW']));
    this.set = new Set(answering);
    this.last = new Set(answering);
  }
  rebuild(name: string, finishes: boolean): void {
    if (this.set === undefined || this.set.has(name)) return;
    this.fold('2026-03-01T00:00:00Z');
    this.modes[name] = 'WO';
    // A replica in mode WO has its address already.
    this.addresses.push(name);
    if (!finishes) return;
    for (const id of this.acknowledged) this.content.get(name)?.add(id);
    this.modes[name] = 'RW';
    this.failedAt.delete(name);
    this.set.add(name);
    this.last.add(name);
  }
  hasAll = (name: string): boolean => this.acknowledged.every((id) => this.content.get(name)?.has(id));
}

const name = fc.constantFrom('r1', 'r2', 'r3');
const time = fc.integer({ min: -7200, max: 7200 }).map((s) => new Date(Date.UTC(2026, 2, 1) + s * 1000).toISOString());
const step = fc.oneof(
  fc.record({ do: fc.constant('write' as const) }),
  fc.record({ do: fc.constant('fail' as const), name, time, recorderDies: fc.boolean() }),
  fc.record({ do: fc.constant('fold' as const), time }),
  fc.record({
    do: fc.constant('start' as const),
    silent: fc.subarray(['r1', 'r2', 'r3']),
    time,
    dies: fc.boolean(),
    late: fc.boolean(),
  }),
  fc.record({ do: fc.constant('rebuild' as const), name, finishes: fc.boolean() }),
);
const nodes = ['n1', 'n2', 'n3'];

it('salvaged replicas have every acknowledged write, whatever happened before and however wrong the clocks are', () => {
  let salvaged = 0;
  const property = fc.property(
    fc.array(step, { maxLength: 25 }),
    fc.subarray(nodes),
    fc.subarray(nodes),
    fc.array(time, { minLength: 3, maxLength: 3 }),
    (steps, up, there, times) => {
      const history = new History();
      history.start([], '2026-03-01T00:00:00Z', false, false);
      for (const each of steps) {
        if (each.do === 'write') history.write();
        else if (each.do === 'fail') history.fail(each.name, each.time, each.recorderDies);
        else if (each.do === 'fold') history.fold(each.time);
        else if (each.do === 'start') history.start(each.silent, each.time, each.dies, each.late);
        else history.rebuild(each.name, each.finishes);
      }
      history.fold('2026-03-01T00:00:00Z');
      for (const [index, replica] of [...history.content.keys()].entries())
        if (!history.failedAt.has(replica)) history.failedAt.set(replica, times[index] ?? '');
      const cluster = aCluster(...there.map((node) => aNode(node, { ready: up.includes(node) })));
      const volume = aVolumeObject({}, { state: 'detached', robustness: 'faulted' });
      const decision = decideSalvage({ volume, cluster, settings: defaultSettings, ...history.objects() });
      const nodeOf = (replica: string) => `n${replica.slice(1)}`;
      if (decision.kind === 'none') return;
      if (decision.kind === 'wait') {
        expect(decision.replicas.some((replica) => there.includes(nodeOf(replica)))).toBe(true);
        return;
      }
      salvaged++;
      expect(decision.replicas).toContain(decision.readPrimary);
      if (!decision.mayLackWrites) expect(decision.replicas.filter((replica) => !history.hasAll(replica))).toEqual([]);
      else expect([...history.last].filter((replica) => there.includes(nodeOf(replica)))).toEqual([]);
    },
  );
  fc.assert(property, { numRuns: Number(process.env.LATEEN_SALVAGE_RUNS ?? 1000) });
  expect(salvaged).toBeGreaterThan(50);
});
