import { seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { modelBlocks } from '../model/model-blocks.ts';
import { ModelMachine } from '../model/model-machine.ts';
import { type ModelStore, modelStore, viewOf } from '../model/model-replica.ts';
import { findSnapshot, isFrozen } from '../record/layer-tree.ts';
import type { LayerProgress, LayerSource } from './rebuild.ts';

const o = { signal: new AbortController().signal };
const sizeBytes = 65536n;
const units = 16;
const seeds = Array.from({ length: 12 }, (_, seed) => seed + 1);
const facts = (name: string) => ({ name, createdAt: '2030-01-01T00:00:00Z', userCreated: true, labels: { a: name } });

interface Side extends ModelStore {
  readonly machine: ModelMachine;
}

async function side(machine = new ModelMachine(), generation = 1): Promise<Side> {
  const model = modelStore(machine);
  await model.store.create({ sizeBytes, state: 'new', mayCreate: true }, o);
  await model.store.open(o);
  await serve(model, generation);
  return { ...model, machine };
}

async function serve(model: ModelStore, generation: number): Promise<void> {
  await model.store.promise({ generation, engine: 'e' }, o);
  await model.store.serve({ generation, name: `head.${generation}` }, o);
}

function sourceOf({ machine, store }: Side): LayerSource {
  return {
    layers: () => store.sourceLayers(o),
    open: async (snapshot) => {
      const exportName = `pull.${snapshot}`;
      const reader = await store.openReader({ snapshot, view: 'alone', exportName }, o);
      const link = await modelBlocks(machine).connect(exportName, o);
      return Object.assign(link, { [Symbol.asyncDispose]: () => reader.close(o) });
    },
  };
}

/** A source with some branches, a write to both sides from the beginning of the rebuild, and a target in the given initial state. */
async function world(seed: number, target: Side | undefined) {
  const random = seededRandom(seed);
  const number = (limit: number) => Math.floor(random.next() * limit);
  const source = await side();
  const write = (sides: readonly Side[], count = 6) => {
    for (let at = 0; at < count; at++) {
      const [unit, value] = [number(units), number(3) * number(90)];
      for (const one of sides) expect(one.machine.write(unit, value)).toBe(true);
    }
  };
  for (let at = 0; at < 5; at++) {
    write([source]);
    await source.store.snapshot(facts(`s${at}`), o);
    if (at === 2) {
      await source.store.revert('s1', o);
      await serve(source, 1);
    }
  }
  const rebuilt = target ?? (await side());
  await source.store.snapshot(facts('rebuild'), o);
  await rebuilt.store.beginRebuild(sizeBytes, o);
  await serve(rebuilt, 2);
  write([source, rebuilt]);
  return { source, rebuilt, write, number };
}

async function expectEqual(source: Side, rebuilt: Side): Promise<void> {
  const [theirs, ours] = [await source.store.record(o), await rebuilt.store.record(o)];
  expect(viewOf(rebuilt.machine, ours, ours.head)).toEqual(viewOf(source.machine, theirs, theirs.head));
  expect(
    ours.layers
      .filter(isFrozen)
      .map(({ snapshot }) => snapshot.name)
      .sort(),
  ).toEqual(
    theirs.layers
      .filter(isFrozen)
      .map(({ snapshot }) => snapshot.name)
      .sort(),
  );
  for (const layer of theirs.layers.filter(isFrozen)) {
    const mine = findSnapshot(ours, layer.snapshot.name);
    expect(mine?.snapshot.labels).toEqual(layer.snapshot.labels);
    expect(mine && viewOf(rebuilt.machine, ours, mine.id)).toEqual(viewOf(source.machine, theirs, layer.id));
  }
  expect([...rebuilt.machine.images.keys()].sort()).toEqual(ours.layers.map(({ file }) => file).sort());
}

describe('a rebuild', () => {
  it.each(seeds)(
    'copies all snapshots, branches and zeros, and keeps the writes made meanwhile (seed %d)',
    async (seed) => {
      const { source, rebuilt, write } = await world(seed, undefined);
      await rebuilt.store.pullLayers(sourceOf(source), o);
      write([source, rebuilt]);
      await rebuilt.store.attachLayers('rebuild', o);
      await serve(rebuilt, 2);
      write([source, rebuilt]);
      await expectEqual(source, rebuilt);
      expect(await rebuilt.store.record(o)).toMatchObject({ state: 'whole' });
    },
  );

  it.each(seeds)('continues after a crash at any call, with snapshots in between (seed %d)', async (seed) => {
    const { source, rebuilt, write, number } = await world(seed, undefined);
    let current = rebuilt;
    for (let tries = 0; tries < 4; tries++) {
      const who = number(3);
      const onDeath = () => {
        if (who > 0) current.machine.killDaemon();
      };
      current.arm({ step: 1 + number(60), death: 'during', isFinal: who < 2, onDeath });
      const isDone = await current.store.pullLayers(sourceOf(source), o).then(
        () => true,
        () => false,
      );
      current.arm(undefined);
      if (isDone) break;
      if (current.machine.daemon === undefined) current.machine.startDaemon();
      current = { ...modelStore(current.machine), machine: current.machine };
      await current.store.open(o);
      // When its daemon died, the engine dropped the replica and the rebuild begins again; otherwise it continues.
      if (who > 0) {
        await expect(serve(current, 3 + tries)).rejects.toMatchObject({ code: 'REPLICA_LAGS' });
        await source.store.snapshot(facts(`again${tries}`), o);
        await current.store.beginRebuild(sizeBytes, o);
      }
      await serve(current, 3 + tries);
      write([source, current], 3);
    }
    await current.store.pullLayers(sourceOf(source), o);
    const newest = (await source.store.sourceLayers(o)).at(-1)?.snapshot.name ?? '';
    await current.store.attachLayers(newest, o);
    await expectEqual(source, current);
  });

  it('keeps layers with equal checksums and discards the stale head', async () => {
    const first = await world(3, undefined);
    await first.rebuilt.store.pullLayers(sourceOf(first.source), o);
    await first.rebuilt.store.attachLayers('rebuild', o);
    for (const { snapshot } of await first.source.store.sourceLayers(o))
      await first.source.store.sumOf(snapshot.name, o);
    await serve(first.rebuilt, 3);
    first.rebuilt.machine.write(0, 99);
    await first.source.store.snapshot(facts('second'), o);
    await first.rebuilt.store.beginRebuild(sizeBytes, o);
    const copied: LayerProgress[] = [];
    await first.rebuilt.store.pullLayers(sourceOf(first.source), { ...o, onProgress: (one) => copied.push(one) });
    expect([...new Set(copied.map(({ snapshot }) => snapshot))]).toEqual(['second']);
    await first.rebuilt.store.attachLayers('second', o);
    await expectEqual(first.source, first.rebuilt);
  });

  it.each<[string, (machine: ModelMachine, file: string) => void]>([
    ['is truncated', (machine, file) => machine.image(file).units.clear()],
    ['is missing', (machine, file) => machine.images.delete(file)],
    ['is not a valid image', (machine, file) => (machine.image(file).isBroken = true)],
  ])('copies a layer with an equal checksum again when its file %s', async (_, damage) => {
    const { source, rebuilt } = await world(3, undefined);
    await rebuilt.store.pullLayers(sourceOf(source), o);
    await rebuilt.store.attachLayers('rebuild', o);
    for (const { snapshot } of await source.store.sourceLayers(o)) await source.store.sumOf(snapshot.name, o);
    const file = findSnapshot(await rebuilt.store.record(o), 's4')?.file ?? '';
    await rebuilt.store.close(o);
    damage(rebuilt.machine, file);
    await expect(rebuilt.store.open(o)).rejects.toMatchObject({ code: 'REPLICA_CORRUPT' });
    await source.store.snapshot(facts('second'), o);
    await rebuilt.store.beginRebuild(sizeBytes, o);
    await serve(rebuilt, 3);
    const copied: LayerProgress[] = [];
    await rebuilt.store.pullLayers(sourceOf(source), { ...o, onProgress: (one) => copied.push(one) });
    expect([...new Set(copied.map(({ snapshot }) => snapshot))]).toEqual(expect.arrayContaining(['s4', 'second']));
    await rebuilt.store.attachLayers('second', o);
    await expectEqual(source, rebuilt);
  });

  it('begins again when the daemon was killed, because the head lost writes', async () => {
    const { source, rebuilt, write } = await world(5, undefined);
    await rebuilt.store.pullLayers(sourceOf(source), o);
    rebuilt.machine.killDaemon();
    rebuilt.machine.startDaemon();
    const lags = { code: 'REPLICA_LAGS' };
    await expect(rebuilt.store.attachLayers('rebuild', o)).rejects.toMatchObject(lags);
    await rebuilt.store.open(o);
    for (const generation of [2, 3]) await expect(serve(rebuilt, generation)).rejects.toMatchObject(lags);
    await source.store.snapshot(facts('again'), o);
    await rebuilt.store.beginRebuild(sizeBytes, o);
    await serve(rebuilt, 3);
    write([source, rebuilt]);
    await rebuilt.store.pullLayers(sourceOf(source), o);
    await rebuilt.store.attachLayers('again', o);
    await expectEqual(source, rebuilt);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('is completed by the next call after call %d of its end failed', async (step) => {
    const { source, rebuilt, write } = await world(7, undefined);
    await rebuilt.store.pullLayers(sourceOf(source), o);
    write([source, rebuilt]);
    rebuilt.arm({ step, death: 'before', isFinal: false, onDeath: () => {} });
    await rebuilt.store.attachLayers('rebuild', o).catch(() => {});
    rebuilt.arm(undefined);
    await rebuilt.store.attachLayers('rebuild', o);
    await serve(rebuilt, 2);
    await expectEqual(source, rebuilt);
    expect(await rebuilt.store.record(o)).toMatchObject({ state: 'whole', killedIn: 0 });
  });

  it('does not complete while its head cannot be flushed', async () => {
    const { source, rebuilt } = await world(6, undefined);
    await rebuilt.store.pullLayers(sourceOf(source), o);
    rebuilt.machine.isDiskFailing = true;
    await expect(rebuilt.store.attachLayers('rebuild', o)).rejects.toThrow('Input/output error');
    expect(await rebuilt.store.record(o)).toMatchObject({ state: 'rebuilding' });
  });

  it("reads the same before and after a merge, although the layer's checksum changes", async () => {
    const { source } = await world(8, undefined);
    const both = async () => [await source.store.sumOf('s1', o), await source.store.contentSumOf('s1', o)];
    const [layer, content] = await both();
    await source.store.markRemoved('s0', o);
    await source.store.purge(o);
    const [later, same] = await both();
    expect([later === layer, same]).toEqual([false, content]);
    const { file = '' } = findSnapshot(await source.store.record(o), 's1') ?? {};
    source.machine.image(file).units.set(15, 98);
    expect(await source.store.contentSumOf('s1', o)).not.toBe(content);
  });

  it('uses the recorded checksum while the layer is unchanged, and reads the layer after a merge, a copy or a write', async () => {
    const { source, rebuilt } = await world(10, undefined);
    const kept = (name: string, of = source) => of.store.keptSumOf(name, o);
    expect([await kept('s1'), await kept('none')]).toEqual([undefined, undefined]);
    const sum = await source.store.sumOf('s1', o);
    expect(await kept('s1')).toBe(sum);
    const imageOf = async (name: string) =>
      source.machine.image(findSnapshot(await source.store.record(o), name)?.file ?? '');
    // A change that leaves no trace is only found by reading.
    (await imageOf('s1')).units.set(15, 98);
    expect(await kept('s1')).toBe(sum);
    expect(await source.store.sumOf('s1', o)).not.toBe(sum);
    (await imageOf('s1')).modifiedMs += 1;
    expect(await kept('s1')).toBeUndefined();
    const again = await source.store.sumOf('s1', o);
    expect(await kept('s1')).toBe(again);
    await rebuilt.store.pullLayers(sourceOf(source), o);
    expect(findSnapshot(await rebuilt.store.record(o), 's1')?.snapshot?.sum?.sha256).toBe(again);
    expect(await kept('s1', rebuilt)).toBeUndefined();
    await source.store.markRemoved('s0', o);
    await source.store.purge(o);
    expect(await kept('s1')).toBeUndefined();
  });

  it('releases the reader when a checksum is aborted', async () => {
    const { source } = await world(9, undefined);
    const leave = new AbortController();
    const slow = source.store.contentSumOf('s1', { signal: leave.signal, bytesPerSecondMax: 1 });
    setImmediate(() => leave.abort(new Error('nobody waits')));
    await expect(slow).rejects.toThrow('nobody waits');
    await source.store.markRemoved('s0', o);
    await source.store.purge(o);
    expect(findSnapshot(await source.store.record(o), 's0')).toBeUndefined();
  });

  it('fails when the source reports another checksum', async () => {
    const { source, rebuilt } = await world(4, undefined);
    await source.store.sumOf('s0', o);
    const layer = findSnapshot(await source.store.record(o), 's0');
    source.machine.image(layer?.file ?? '').units.set(15, 98);
    await expect(rebuilt.store.pullLayers(sourceOf(source), o)).rejects.toMatchObject({ code: 'REPLICA_CORRUPT' });
    expect(findSnapshot(await rebuilt.store.record(o), 's0')).toBeUndefined();
  });
});
