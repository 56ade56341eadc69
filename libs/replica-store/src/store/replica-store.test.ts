import { describe, expect, it } from 'vitest';
import { ModelMachine, readUnit } from '../model/model-machine.ts';
import { type ModelStore, modelDirectory, modelIdentity, modelStore, viewOf } from '../model/model-replica.ts';
import { findSnapshot } from '../record/layer-tree.ts';
import type { CreateReplica } from './create.ts';
import { isLow } from './usage.ts';

const o = { signal: new AbortController().signal };
const fresh: CreateReplica = { sizeBytes: 16384n, state: 'new', mayCreate: true };
const recordPath = `${modelDirectory}/replica.json`;
const facts = (name: string) => ({ name, createdAt: '2030-01-01T00:00:00Z', userCreated: true, labels: {} });
const thrown = (code: string) => ({ code, nextStep: expect.any(String) });

/** A replica with its head served for generation 1. */
async function served() {
  const machine = new ModelMachine();
  const model = modelStore(machine);
  await model.store.create(fresh, o);
  await model.store.open(o);
  await model.store.promise({ generation: 1, engine: 'e' }, o);
  await model.store.serve({ generation: 1, name: 'head' }, o);
  return { machine, ...model };
}

/** Snapshots a, b, c with a write before each; a is removed. */
async function threeSnapshots() {
  const parts = await served();
  for (const [index, name] of ['a', 'b', 'c'].entries()) {
    parts.machine.write(0, index + 1);
    await parts.store.snapshot(facts(name), o);
  }
  await parts.store.markRemoved('a', o);
  return parts;
}

describe('create', () => {
  it('creates a replica once; a repeated call returns the same replica', async () => {
    const machine = new ModelMachine();
    const first = await modelStore(machine).store.create(fresh, o);
    expect(first).toMatchObject({ state: 'new', pending: [], layers: [{ file: 'layer-0.qcow2' }] });
    expect(await modelStore(machine).store.create(fresh, o)).toEqual(first);
    expect(machine.images.size).toBe(1);
  });
  it('creates no empty replica on a disk that is not mounted', async () => {
    const { store } = modelStore(new ModelMachine());
    await expect(store.create({ ...fresh, mayCreate: false }, o)).rejects.toMatchObject(thrown('REPLICA_GONE'));
    await expect(store.open(o)).rejects.toMatchObject(thrown('REPLICA_GONE'));
  });
  it.each(['volume', 'volumeUid', 'replica'] as const)('changes nothing in a folder of another %s', async (name) => {
    const { machine } = await served();
    const before = machine.texts.get(recordPath);
    const stranger = modelStore(machine, { ...modelIdentity, [name]: 'other' }).store;
    await expect(stranger.create(fresh, o)).rejects.toMatchObject(thrown('REPLICA_FOREIGN'));
    await expect(stranger.promise({ generation: 9, engine: 'e' }, o)).rejects.toMatchObject(thrown('REPLICA_FOREIGN'));
    expect(machine.texts.get(recordPath)).toBe(before);
  });
  it('writes no record when layers already exist', async () => {
    const { machine } = await served();
    machine.texts.delete(recordPath);
    await expect(modelStore(machine).store.create(fresh, o)).rejects.toMatchObject(thrown('REPLICA_CORRUPT'));
    expect(machine.texts.has(recordPath)).toBe(false);
  });
  it('rejects a replica that missed a growth of its volume', async () => {
    const { machine } = await served();
    const grown = modelStore(machine).store.create({ ...fresh, sizeBytes: 32768n }, o);
    await expect(grown).rejects.toMatchObject(thrown('SIZE_REFUSED'));
  });
});

describe('a replica that is being rebuilt', () => {
  it('is not accepted as complete, but can be opened for a rebuild', async () => {
    const { store } = modelStore(new ModelMachine());
    await store.create({ ...fresh, state: 'rebuilding' }, o);
    await expect(store.create({ ...fresh, mayCreate: false }, o)).rejects.toMatchObject(thrown('REPLICA_LAGS'));
    expect(await store.create({ ...fresh, state: 'rebuilding' }, o)).toMatchObject({ state: 'rebuilding' });
  });
});

describe('open', () => {
  const faults: readonly [string, (machine: ModelMachine) => void][] = [
    ['a layer that is not there', (machine) => machine.images.delete('layer-0.qcow2')],
    ['a header that cannot be read', (machine) => (machine.image('layer-1.qcow2').isBroken = true)],
    [
      'another layer below than the record says',
      (machine) => (machine.image('layer-1.qcow2').backingFile = 'layer-9.qcow2'),
    ],
    ['a layer of another size', (machine) => (machine.image('layer-0.qcow2').sizeBytes = 4096n)],
    [
      'a layer with units that a rebuild cannot work on',
      (machine) => (machine.image('layer-0.qcow2').extendedL2 = false),
    ],
    [
      'faults in the tables of a head that was not closed',
      (machine) => (machine.image('layer-1.qcow2').corruptions = 2),
    ],
    ['a record that is cut off', (machine) => machine.texts.set(recordPath, '{"format":1')],
  ];
  it.each(faults)('rejects %s, and repairs nothing', async (_, damage) => {
    const { machine, store } = await served();
    await store.snapshot(facts('a'), o);
    machine.killDaemon();
    damage(machine);
    machine.startDaemon();
    const before = JSON.stringify([...machine.texts]);
    await expect(modelStore(machine).store.open(o)).rejects.toMatchObject(thrown('REPLICA_CORRUPT'));
    expect(JSON.stringify([...machine.texts])).toBe(before);
    expect(machine.daemon?.chain).toEqual([]);
  });
  it('keeps an existing chain and export, so that a takeover interrupts no I/O', async () => {
    const { machine } = await served();
    await modelStore(machine).store.open(o);
    expect(machine.daemon?.headExport).toBe('head');
  });
});

describe('promise', () => {
  it('removes the export of the previous generation, and serves no generation that was not promised', async () => {
    const { machine, store } = await served();
    await store.promise({ generation: 2, engine: 'e' }, o);
    expect(machine.write(0, 1)).toBe(false);
    const old = store.serve({ generation: 1, name: 'head' }, o);
    await expect(old).rejects.toMatchObject(thrown('GENERATION_OVER'));
    await expect(store.promise({ generation: 1, engine: 'e' }, o)).rejects.toMatchObject(thrown('GENERATION_OVER'));
    await expect(store.promise({ generation: 2, engine: 'f' }, o)).rejects.toMatchObject(thrown('GENERATION_OVER'));
  });
  it('keeps the export when the same generation is promised again', async () => {
    const { machine, store } = await served();
    await store.promise({ generation: 1, engine: 'e' }, o);
    expect(machine.write(0, 1)).toBe(true);
  });
  it.each([1, 2, 3])('removes the old export when the call is repeated after its step %d failed', async (step) => {
    const { machine, store, arm } = await served();
    arm({ step, death: 'before', isFinal: false, onDeath: () => {} });
    await expect(store.promise({ generation: 2, engine: 'e' }, o)).rejects.toThrow('killed');
    expect(JSON.parse(machine.texts.get(recordPath) ?? '').generation).toBe(1);
    await store.promise({ generation: 2, engine: 'e' }, o);
    expect(machine.write(0, 1)).toBe(false);
    await store.serve({ generation: 2, name: 'new' }, o);
    expect(JSON.parse(machine.texts.get(recordPath) ?? '').generation).toBe(2);
  });
});

describe('a replica whose daemon was killed', () => {
  async function killed() {
    const parts = await served();
    parts.machine.killDaemon();
    parts.machine.startDaemon();
    return parts;
  }
  const lags = thrown('REPLICA_LAGS');
  const serving = async ({ store }: ModelStore, generation: number) => {
    await store.promise({ generation, engine: 'e' }, o);
    await store.serve({ generation, name: `head.${generation}` }, o);
  };

  it.each([
    ['the same store', false],
    ['a store after a restart', true],
  ])('is not served again in the same generation by %s', async (_, isNew) => {
    const { machine, ...before } = await killed();
    const model = isNew ? modelStore(machine) : before;
    await model.store.open(o);
    await expect(serving(model, 1)).rejects.toMatchObject(lags);
    expect(machine.daemon?.headExport).toBeUndefined();
    expect(await model.store.record(o)).toMatchObject({ killedIn: 1 });
  });
  it.each([
    ['opened', async ({ store }: ModelStore) => void (await store.open(o))],
    [
      'promised to a later generation',
      async ({ store }) => void (await store.promise({ generation: 2, engine: 'f' }, o)),
    ],
    ['asked to be served', async ({ store }) => expect(store.serve({ generation: 1, name: 'x' }, o)).rejects.toThrow()],
    ['closed', ({ store }) => store.close(o)],
  ] as [string, (model: ModelStore) => Promise<void>][])('records the kill when it is %s', async (_, act) => {
    const model = await killed();
    await act(model);
    expect(await modelStore(model.machine).store.record(o)).toMatchObject({ servedIn: 0, killedIn: 1 });
  });
  it('has its metadata checked before it is opened, even when it was promised first', async () => {
    const { machine } = await killed();
    machine.image('layer-0.qcow2').corruptions = 2;
    const next = modelStore(machine).store;
    await next.promise({ generation: 2, engine: 'e' }, o);
    await expect(next.open(o)).rejects.toMatchObject(thrown('REPLICA_CORRUPT'));
  });
  it('is served for the next generation, which must compare it before the mark is cleared', async () => {
    const model = await killed();
    await model.store.open(o);
    await serving(model, 2);
    expect(await model.store.compared(1, o)).toMatchObject({ killedIn: 1 });
    expect(await model.store.compared(2, o)).toMatchObject({ killedIn: 0, servedIn: 2 });
    model.machine.killDaemon();
    expect(await model.store.compared(2, o)).toMatchObject({ killedIn: 2 });
  });
  it('is served in the same generation for its rebuild', async () => {
    const model = await killed();
    await model.store.open(o);
    await model.store.beginRebuild(fresh.sizeBytes, o);
    await serving(model, 1);
    expect(await model.store.record(o)).toMatchObject({ state: 'rebuilding', killedIn: 0 });
  });
  it('is not marked when a serve failed because it was not open', async () => {
    const machine = new ModelMachine();
    const model = modelStore(machine);
    await model.store.create(fresh, o);
    await expect(serving(model, 1)).rejects.toMatchObject(thrown('NOT_POSSIBLE_NOW'));
    await model.store.open(o);
    await serving(model, 1);
    expect(machine.write(0, 1)).toBe(true);
  });
  it('is not marked when it was not served after it was closed', async () => {
    const { machine, store } = await served();
    await store.close(o);
    await store.open(o);
    machine.killDaemon();
    machine.startDaemon();
    await store.open(o);
    await serving({ store, arm: () => {} }, 1);
    expect(await store.record(o)).toMatchObject({ killedIn: 0 });
  });
});

describe('close', () => {
  it('closes an open chain cleanly', async () => {
    const { store } = await served();
    await store.close(o);
    await store.close(o);
    expect(await store.record(o)).toMatchObject({ servedIn: 0, killedIn: 0 });
  });
  it('releases the files of a disk that cannot be flushed, and records that writes may be missing', async () => {
    const { machine, store } = await served();
    machine.isDiskFailing = true;
    await store.close(o);
    expect(machine.daemon?.chain).toEqual([]);
    machine.isDiskFailing = false;
    await modelStore(machine).store.open(o);
    expect(await store.record(o)).toMatchObject({ servedIn: 1 });
    expect(await modelStore(machine).store.record(o)).toMatchObject({ killedIn: 1 });
  });
});

describe('purge', () => {
  it('waits for the reader of a removed snapshot, because the daemon itself would not wait', async () => {
    const { machine, store } = await served();
    machine.write(0, 1);
    await store.snapshot(facts('a'), o);
    const reader = await store.openReader({ snapshot: 'a', view: 'chain', exportName: 'reading' }, o);
    machine.write(0, 2);
    await store.snapshot(facts('b'), o);
    await store.markRemoved('a', o);
    expect(await store.purge(o)).toEqual({ purged: [], waiting: [{ snapshot: 'a', because: 'a reader has it open' }] });
    expect(readUnit(machine.daemon?.layerExports.get('read1')?.images ?? [], 0)).toBe(1);
    await reader.close(o);
    expect(await store.purge(o)).toEqual({ purged: ['a'], waiting: [] });
  });
  it('waits for a reader of an earlier store, until the replica is opened', async () => {
    const { machine, store } = await threeSnapshots();
    await store.openReader({ snapshot: 'b', view: 'chain', exportName: 'r' }, o);
    const next = modelStore(machine).store;
    expect(await next.purge(o)).toEqual({ purged: [], waiting: [{ snapshot: 'a', because: 'a reader has it open' }] });
    await next.open(o);
    expect(await next.purge(o)).toEqual({ purged: ['a'], waiting: [] });
  });
  it('does not wait for a reader whose open failed', async () => {
    const { store, arm } = await threeSnapshots();
    arm({ step: 1, death: 'after', isFinal: false, onDeath: () => {} });
    await expect(store.openReader({ snapshot: 'b', view: 'chain', exportName: 'r' }, o)).rejects.toThrow('killed');
    expect((await store.purge(o)).purged).toEqual(['a']);
  });
  it.each([
    ['the upper layer of a merge', 'b'],
    ['the layer above both layers', 'c'],
  ])('waits for a reader that has only %s open', async (_, snapshot) => {
    const { store } = await threeSnapshots();
    const reader = await store.openReader({ snapshot, view: 'alone', exportName: 'copy' }, o);
    expect((await store.purge(o)).waiting).toEqual([{ snapshot: 'a', because: 'a reader has it open' }]);
    await reader.close(o);
    expect((await store.purge(o)).purged).toEqual(['a']);
  });
  it('is interrupted by a snapshot, and begins again after it', async () => {
    const { machine, store } = await threeSnapshots();
    machine.image('layer-1.qcow2').units.set(1, 7).set(2, 7).set(3, 7);
    const seen: number[] = [];
    let snapshot: Promise<void> | undefined;
    const purged = await store.purge({
      ...o,
      onProgress: ({ doneBytes }) => {
        seen.push(doneBytes);
        snapshot ??= store.snapshot(facts('d'), o);
      },
    });
    await snapshot;
    expect(purged.purged).toEqual(['a']);
    expect(seen.filter((bytes) => bytes === seen[0]).length).toBeGreaterThan(1);
    const record = await store.record(o);
    expect(findSnapshot(record, 'd')).toBeDefined();
    expect(viewOf(machine, record, findSnapshot(record, 'b')?.id ?? -1)).toEqual([2, 7, 7, 7]);
  });
  it('merges each layer once when two purges run at once', async () => {
    const { machine, store } = await threeSnapshots();
    for (let unit = 1; unit < 4; unit++) machine.image('layer-1.qcow2').units.set(unit, 7);
    const both = await Promise.all([store.purge(o), store.purge(o)]);
    expect(both.flatMap(({ purged }) => purged)).toEqual(['a']);
  });
  it('rejects a reader of a removed snapshot, because its merge may have begun', async () => {
    const { store } = await threeSnapshots();
    const reader = store.openReader({ snapshot: 'a', view: 'chain', exportName: 'x' }, o);
    await expect(reader).rejects.toMatchObject(thrown('SNAPSHOT_NOT_FOUND'));
  });
});

describe('snapshots', () => {
  it('is taken once when the request is repeated; another one with its name is rejected', async () => {
    const { machine, store } = await served();
    await store.snapshot(facts('a'), o);
    machine.write(0, 1);
    await store.snapshot(facts('a'), o);
    expect((await store.record(o)).layers).toHaveLength(2);
    const other = store.snapshot({ ...facts('a'), createdAt: '2031-01-01T00:00:00Z' }, o);
    await expect(other).rejects.toMatchObject(thrown('SNAPSHOT_EXISTS'));
  });
  it('needs an open chain', async () => {
    const { store } = await served();
    await store.close(o);
    await expect(store.snapshot(facts('a'), o)).rejects.toMatchObject(thrown('NOT_POSSIBLE_NOW'));
  });
});

describe('usage and space', () => {
  it('reports the bytes of each layer', async () => {
    const { machine, store } = await served();
    machine.write(0, 1);
    await store.snapshot(facts('a'), o);
    expect(await store.usage(o)).toEqual({
      actualBytes: 4096n,
      layers: [
        { id: 0, bytes: 4096n },
        { id: 1, bytes: 0n },
      ],
    });
  });
  it.each([
    [64 * 1024 ** 2, 1024 ** 3, false],
    [64 * 1024 ** 2 - 1, 1024 ** 3, true],
    [9 * 1024 ** 3, 1024 ** 4, true],
    [11 * 1024 ** 3, 1024 ** 4, false],
  ])('with %d of %d bytes free, low is %s', (available, total, expected) => {
    expect(isLow(available, total)).toBe(expected);
  });
});
