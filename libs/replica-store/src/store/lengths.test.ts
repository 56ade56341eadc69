import { isAppError } from '@lateen/errors';
import { describe, expect, it } from 'vitest';
import { deaths } from '../model/dying.ts';
import { ModelMachine } from '../model/model-machine.ts';
import { type ModelStore, modelDirectory, modelStore } from '../model/model-replica.ts';
import { findSnapshot, headOf } from '../record/layer-tree.ts';
import type { ReplicaRecord } from '../record/replica-record.ts';

const o = { signal: new AbortController().signal };
const recordPath = `${modelDirectory}/replica.json`;
const taken = (name: string) => ({ name, createdAt: '2030-01-01T00:00:00Z', userCreated: true, labels: {} });
const bytes = (units: number) => (units + 1) * 4096;

/** Its head is served, and its snapshots a, b and c hold one, two and three units. */
async function replica() {
  const machine = new ModelMachine();
  const model = modelStore(machine);
  await model.store.create({ sizeBytes: 16384n, state: 'new', mayCreate: true }, o);
  await model.store.open(o);
  await serve(model, 1);
  for (const [index, name] of ['a', 'b', 'c'].entries()) {
    for (let unit = 0; unit <= index; unit++) machine.write(unit, 10 * index + unit + 1);
    await model.store.snapshot(taken(name), o);
  }
  return { machine, ...model };
}

async function serve({ store }: Pick<ModelStore, 'store'>, generation: number): Promise<void> {
  await store.promise({ generation, engine: 'e' }, o);
  await store.serve({ generation, name: `head.${generation}` }, o);
}

/** Truncates the end of the file. */
function cut(machine: ModelMachine, file: string): void {
  const { units } = machine.image(file);
  units.delete([...units.keys()].at(-1) ?? -1);
}

const recordOf = (machine: ModelMachine): ReplicaRecord => JSON.parse(machine.texts.get(recordPath) ?? '');
const fileOf = (record: ReplicaRecord, name: string): string => findSnapshot(record, name)?.file ?? '';
const knownOf = (record: ReplicaRecord): readonly (number | undefined)[] =>
  record.layers.map(({ fileBytesMin }) => fileBytesMin);

describe('a replica with a truncated layer file', () => {
  it.each(['a', 'b', 'c'])(
    'does not open when the file of snapshot %s is truncated, and reports which file and by how much',
    async (name) => {
      const { machine, store } = await replica();
      await store.close(o);
      const file = fileOf(recordOf(machine), name);
      const { size } = machine.image(file).units;
      cut(machine, file);
      const before = machine.texts.get(recordPath);
      for (const again of [store, modelStore(machine).store]) {
        await expect(again.open(o)).rejects.toMatchObject({
          code: 'REPLICA_CORRUPT',
          message: `pvc-1-r-1 is damaged: ${file} was cut short: it has ${bytes(size - 1)} bytes on disk, and had ${bytes(size)}`,
          nextStep: expect.stringContaining('rebuilt'),
        });
      }
      expect(machine.texts.get(recordPath)).toBe(before);
      expect(machine.daemon?.chain).toEqual([]);
    },
  );

  it('does not open when the file of the head is truncated after it was closed once', async () => {
    const { machine, store } = await replica();
    machine.write(3, 9);
    await store.close(o);
    await store.open(o);
    await serve({ store }, 2);
    // The file was longer at the close, and then the daemon was killed: the length at the close is recorded.
    machine.killDaemon();
    machine.startDaemon();
    const { file } = headOf(recordOf(machine));
    cut(machine, file);
    await expect(modelStore(machine).store.open(o)).rejects.toMatchObject({
      code: 'REPLICA_CORRUPT',
      message: expect.stringContaining(`${file} was cut short`),
    });
  });

  it('does not open when the truncated file holds two merged layers', async () => {
    const { machine, store } = await replica();
    await store.markRemoved('a', o);
    expect((await store.purge(o)).purged).toEqual(['a']);
    const record = await store.record(o);
    const merged = findSnapshot(record, 'b');
    expect(merged).toMatchObject({ file: 'layer-0.qcow2', fileBytesMin: bytes(2) });
    await store.close(o);
    cut(machine, 'layer-0.qcow2');
    await expect(store.open(o)).rejects.toMatchObject({ code: 'REPLICA_CORRUPT' });
  });
});

describe('a record of an earlier version', () => {
  it('has no lengths, opens, and has them afterwards', async () => {
    const { machine, store } = await replica();
    machine.write(3, 9);
    await store.close(o);
    const record = recordOf(machine);
    const before = { ...record, layers: record.layers.map(({ fileBytesMin: _, ...layer }) => layer) };
    machine.texts.set(recordPath, JSON.stringify(before));
    const opened = await modelStore(machine).store.open(o);
    expect(knownOf(opened)).toEqual([bytes(1), bytes(2), bytes(3), bytes(1)]);
    expect(knownOf(recordOf(machine))).toEqual(knownOf(record));
  });
});

describe('a crash in a close, a snapshot or a merge', () => {
  const calls: readonly (readonly [string, (store: ModelStore['store']) => Promise<unknown>])[] = [
    ['a close', (store) => store.close(o)],
    ['a snapshot', (store) => store.snapshot(taken('d'), o)],
    ['a merge', (store) => store.markRemoved('a', o).then(() => store.purge(o))],
    ['an open', (store) => store.close(o).then(() => store.open(o))],
  ];
  const rows = calls.flatMap(([what, call]) => deaths.map((death) => ({ what, call, death })));
  it.each(rows)('$death a step of $what records no length that the file does not have', async ({ call, death }) => {
    let hasDied = true;
    for (let step = 1; hasDied; step++) {
      const { machine, store, arm } = await replica();
      machine.write(3, 9);
      hasDied = false;
      const onDeath = () => {
        hasDied = true;
        machine.killDaemon();
      };
      arm({ step, death, isFinal: true, onDeath });
      await call(store).catch((error: unknown) => {
        if (!hasDied) throw error;
      });
      arm(undefined);
      if (!hasDied) expect(step).toBeGreaterThan(4);
      else machine.startDaemon();
      const next = modelStore(machine).store;
      await next.open(o).catch((error: unknown) => {
        throw isAppError(error) ? new Error(`after step ${step}: ${error.message}`, { cause: error }) : error;
      });
      const { layers } = await next.record(o);
      for (const { file, fileBytesMin } of layers)
        expect(fileBytesMin ?? 0).toBeLessThanOrEqual(bytes(machine.image(file).units.size));
      // All files were checked when the replica was opened.
      if (hasDied) expect(layers.every(({ fileBytesMin }) => fileBytesMin !== undefined)).toBe(true);
    }
  });
});
