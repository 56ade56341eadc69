import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileBelow, findSnapshot, headOf, layerOf, pathDown } from './layer-tree.ts';
import { parseRecord, recordText } from './record-codec.ts';
import { createRecord } from './record-create.ts';
import { beginMerge, dropLayer, finishMerge, planPurge, takeBackMerge } from './record-merge.ts';
import { beginRevert, finishRevert } from './record-revert.ts';
import { beginSnapshot, finishSnapshot, markRemoved, takeBackSnapshot } from './record-snapshot.ts';
import type { ReplicaRecord } from './replica-record.ts';
import { treeProblem } from './tree-problem.ts';

const units = 4;
const runs = Number(process.env.LATEEN_STORE_RUNS ?? 200);

type Move =
  | { do: 'write'; at: number; value: number }
  | { do: 'snapshot'; isTakenBack: boolean }
  | { do: 'revert' | 'remove'; which: number }
  | { do: 'purge'; which: number; copied: number };

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('write'), at: fc.nat(units - 1), value: fc.integer({ min: 1, max: 99 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('snapshot'), isTakenBack: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('revert', 'remove', 'remove'), which: fc.nat(9) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('purge'), which: fc.nat(9), copied: fc.nat(units) }) },
) as fc.Arbitrary<Move>;

/** The content of the files, and the expected content of each snapshot. */
class World {
  record: ReplicaRecord = {
    ...createRecord({ volume: 'v', volumeUid: 'u', replica: 'r', sizeBytes: 16384n, state: 'new' }),
    pending: [],
  };
  readonly #files = new Map<string, Map<number, number>>();
  readonly #kept = new Map<string, readonly number[]>();
  #names = 0;
  #head: readonly number[] = new Array(units).fill(0);

  step(one: Move): void {
    if (one.do === 'write') this.#write(one.at, one.value);
    if (one.do === 'snapshot') this.#snapshot(one.isTakenBack);
    if (one.do === 'revert') this.#revert(this.#pick(one.which));
    if (one.do === 'remove') this.#remove(this.#pick(one.which));
    if (one.do === 'purge') this.#purge(one.which, one.copied);
    this.check();
  }

  check(): void {
    expect(treeProblem(this.record)).toBeUndefined();
    expect(parseRecord(recordText(this.record), 'replica.json')).toEqual(this.record);
    expect(this.#view(this.record.head)).toEqual(this.#head);
    for (const [name, content] of this.#kept) {
      const layer = findSnapshot(this.record, name);
      expect(layer && this.#view(layer.id), `snapshot ${name}`).toEqual(content);
    }
  }

  #pick(which: number): string | undefined {
    return [...this.#kept.keys()][which % Math.max(1, this.#kept.size)];
  }

  #write(at: number, value: number): void {
    this.#file(headOf(this.record).file).set(at, value);
    this.#head = this.#head.with(at, value);
  }

  #snapshot(isTakenBack: boolean): void {
    const name = `s${this.#names++}`;
    const begun = beginSnapshot(this.record, {
      name,
      createdAt: '2030-01-01T00:00:00Z',
      userCreated: true,
      labels: { a: 'b' },
    });
    expect(treeProblem(begun)).toBeUndefined();
    this.record = isTakenBack ? takeBackSnapshot(begun) : finishSnapshot(begun);
    if (!isTakenBack) this.#kept.set(name, this.#head);
  }

  #revert(name: string | undefined): void {
    if (name === undefined) return;
    const { record, file } = beginRevert(this.record, name);
    expect(treeProblem(record)).toBeUndefined();
    this.record = finishRevert(record, name, file);
    this.#head = this.#kept.get(name) ?? [];
  }

  #remove(name: string | undefined): void {
    if (name === undefined) return;
    this.record = markRemoved(this.record, name);
    this.#kept.delete(name);
  }

  /** One step of the plan; a merge that copies only a part is taken back, as after a crash. */
  #purge(which: number, copied: number): void {
    const { steps } = planPurge(this.record);
    const step = steps[which % Math.max(1, steps.length)];
    if (step === undefined) return;
    if (step.kind === 'drop') {
      this.record = dropLayer(this.record, step.layer);
      return;
    }
    const child = this.#file(layerOf(this.record, step.child).file);
    const into = this.#file(layerOf(this.record, step.into).file);
    this.record = beginMerge(this.record, step.child, step.into);
    for (const [at, value] of child) {
      if (at < copied) into.set(at, value);
      this.check();
    }
    this.record = copied === units ? finishMerge(this.record) : takeBackMerge(this.record);
    const lost = this.record.pending.flatMap((one) => (one.kind === 'garbage' ? [one.file] : []));
    for (const file of lost) this.#files.delete(file);
  }

  #file(name: string): Map<number, number> {
    const found = this.#files.get(name) ?? new Map<number, number>();
    this.#files.set(name, found);
    return found;
  }

  #view(id: number): readonly number[] {
    const path = pathDown(this.record, id).map(({ file }) => this.#file(file));
    return Array.from({ length: units }, (_, at) => path.find((file) => file.has(at))?.get(at) ?? 0);
  }
}

describe('random histories of a record', () => {
  it('keep the content of the volume and of each kept snapshot through merges, cancelled merges and drops', () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
        const world = new World();
        for (const one of moves) world.step(one);
      }),
      { numRuns: runs },
    );
  });

  it('end with only those removed snapshots that the head or two layers build on', () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 30 }), (moves) => {
        const world = new World();
        for (const one of moves) world.step(one);
        for (let left = 100; left > 0 && planPurge(world.record).steps.length > 0; left--) {
          world.step({ do: 'purge', which: 0, copied: units });
        }
        const { steps, waiting } = planPurge(world.record);
        const removed = world.record.layers.filter((layer) => layer.snapshot?.removed === true);
        expect(steps).toEqual([]);
        expect(waiting.map(({ snapshot }) => snapshot).sort()).toEqual(removed.map((l) => l.snapshot?.name).sort());
        for (const { id } of removed) expect(fileBelow(world.record, layerOf(world.record, id))).not.toBe('');
      }),
      { numRuns: Math.ceil(runs / 3) },
    );
  });
});
