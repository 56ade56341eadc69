import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@lateen/kernel';
import { describe, expect, it } from 'vitest';
import { replicaRig } from '../block/replica-rig.ts';
import { contentOf, ReplicaWorld } from '../block/replica-world.ts';

const o = { signal: new AbortController().signal };

describe('a replica on real files', () => {
  it('keeps its volume and all snapshots through branches, merges, growth and a new store', async () => {
    await using rig = await replicaRig();
    const world = new ReplicaWorld(rig, 7);
    await world.start();
    for (let round = 0; round < 4; round++) {
      await world.write();
      await world.snapshot();
    }
    await world.check();
    await world.remove('s1');
    expect(await world.store.purge(o)).toMatchObject({ purged: ['s1'] });
    await world.check();
    await world.revert('s2');
    await world.write();
    await world.snapshot();
    await world.grow();
    await world.write();
    await world.check();
    // s3 is no longer an ancestor of the head; s0 is below both branches, and its child is merged under the other branch's file.
    await world.remove('s0');
    expect(await world.store.purge(o)).toMatchObject({ purged: ['s0'] });
    await world.takeOver();
    await world.check();
    await world.checkFiles();
    await world.store.open(o);
    await world.serve();
    await world.check();
  });

  it('merges on a branch that no daemon has open', async () => {
    await using rig = await replicaRig();
    const world = new ReplicaWorld(rig, 11);
    await world.start();
    for (let round = 0; round < 4; round++) {
      await world.write();
      await world.snapshot();
    }
    await world.revert('s0');
    await world.write();
    await world.remove('s1');
    await world.remove('s2');
    expect(await world.store.purge(o)).toMatchObject({ purged: ['s1', 's2'], waiting: [] });
    await world.check();
    await world.checkFiles();
  });

  it('a merge waits for the reader of the snapshot', async () => {
    await using rig = await replicaRig();
    const world = new ReplicaWorld(rig, 13);
    await world.start();
    await world.write();
    await world.snapshot();
    await using link = await (async () => {
      await world.store.openReader({ snapshot: 's0', view: 'chain', exportName: 'backup' }, o);
      return rig.link('backup');
    })();
    const before = await contentOf(link);
    await world.write();
    await world.snapshot();
    await world.remove('s0');
    expect(await world.store.purge(o)).toEqual({
      purged: [],
      waiting: [{ snapshot: 's0', because: 'a reader has it open' }],
    });
    expect((await contentOf(link)).equals(before)).toBe(true);
    await world.check();
  });

  it('continues after the daemon is killed at any moment of a snapshot or a merge', async () => {
    await using rig = await replicaRig();
    const world = new ReplicaWorld(rig, 17);
    await world.start();
    let killed = 0;
    for (let round = 0; round < 8; round++) {
      await world.write();
      await world.snapshot();
      const [oldest] = world.snapshots;
      if (world.snapshots.length > 3 && oldest !== undefined) await world.remove(oldest);
      const work = round % 2 === 0 ? world.store.purge(o) : world.snapshot();
      const ended = work.then(
        () => 'done',
        () => 'failed',
      );
      await systemClock.sleep(world.number(40), o.signal);
      await rig.killDaemon();
      if ((await ended) === 'failed') killed++;
      await world.recover();
      await world.check();
    }
    expect(killed).toBeGreaterThan(0);
    await world.store.purge(o);
    await world.check();
    await world.checkFiles();
  });
});

describe('a layer whose file was truncated', () => {
  it('is rejected when it is frozen, merged, merged by a daemon or the head, and opens when the file is complete again', async () => {
    await using rig = await replicaRig();
    const world = new ReplicaWorld(rig, 29);
    await world.start();
    for (let round = 0; round < 5; round++) {
      await world.write();
      await world.snapshot();
    }
    await world.remove('s0');
    expect(await world.store.purge(o)).toMatchObject({ purged: ['s0'] });
    await world.revert('s2');
    await world.write();
    await world.snapshot();
    await world.write();
    // No longer an ancestor of the head: merged by a program of its own.
    await world.remove('s3');
    expect(await world.store.purge(o)).toMatchObject({ purged: ['s3'] });
    await world.store.close(o);
    const { layers } = await world.store.record(o);
    expect(layers).toHaveLength(5);
    for (const { file } of layers) {
      const path = join(rig.directory, file);
      const whole = await readFile(path);
      await truncate(path, whole.length - 4096);
      await expect(rig.newStore().open(o)).rejects.toMatchObject({
        code: 'REPLICA_CORRUPT',
        message: `pvc-1-r-1 is damaged: ${file} was cut short: it has ${whole.length - 4096} bytes on disk, and had ${whole.length}`,
      });
      await writeFile(path, whole);
    }
    await world.takeOver();
    await world.check();
    await world.checkFiles();
  });

  it('is rejected when the daemon was killed after it was frozen', async () => {
    await using rig = await replicaRig();
    const world = new ReplicaWorld(rig, 31);
    await world.start();
    await world.write();
    await world.snapshot();
    await rig.killDaemon();
    await rig.startDaemon();
    const path = join(rig.directory, 'layer-0.qcow2');
    await truncate(path, (await stat(path)).size - 1);
    await expect(rig.newStore().open(o)).rejects.toMatchObject({ code: 'REPLICA_CORRUPT' });
  });
});

describe('an image', () => {
  it('with clusters of 64 KiB is rejected', async () => {
    await using rig = await replicaRig();
    const world = new ReplicaWorld(rig, 19);
    await world.start();
    await world.snapshot();
    await world.store.close(o);
    const head = join(rig.directory, 'layer-1.qcow2');
    await rig.qemuImg(['create', '-q', '-f', 'qcow2', '-u', '-b', 'layer-0.qcow2', '-F', 'qcow2', head, '32M']);
    await expect(world.store.open(o)).rejects.toMatchObject({ code: 'REPLICA_CORRUPT' });
  });

  it.each([
    ['extended_l2=on,cluster_size=128k', true],
    ['cluster_size=64k', false],
  ])('with %s, a layer that was written before its parent was added reads correctly: %s', async (options, isRight) => {
    await using rig = await replicaRig();
    const [below, head] = ['below', 'head'].map((name) => `${rig.directory}-${name}.qcow2`) as [string, string];
    for (const file of [below, head]) await rig.qemuImg(['create', '-q', '-f', 'qcow2', '-o', options, file, '1M']);
    await rig.qemuIo(below, 'write -P 0x11 0 1M');
    await rig.qemuIo(head, 'write -P 0x22 8k 4k');
    await rig.images.relink(head, below);
    const read = rig.qemuIo(head, 'read -P 0x11 0 8k', 'read -P 0x22 8k 4k', 'read -P 0x11 12k 100k');
    expect((await read).includes('Pattern verification failed')).toBe(!isRight);
  });
});

describe('a rebuild on real files', () => {
  it('has the zeros of every layer, all snapshots, and the writes that came before its layers', async () => {
    await using sourceRig = await replicaRig();
    await using targetRig = await replicaRig();
    const world = new ReplicaWorld(sourceRig, 23);
    await world.start();
    for (let round = 0; round < 3; round++) {
      await world.write(20);
      await world.snapshot();
    }
    const target = targetRig.newStore();
    await target.create({ sizeBytes: world.sizeBytes, state: 'rebuilding', mayCreate: true }, o);
    await target.open(o);
    await target.beginRebuild(world.sizeBytes, o);
    await target.promise({ generation: 1, engine: 'e' }, o);
    await target.serve({ generation: 1, name: 'target' }, o);
    await using writing = await targetRig.link('target');
    // In whole units: the engine rounds smaller writes up while a replica is being rebuilt.
    await world.write(20, { also: writing, wholeUnits: true });
    const copying = target.pullLayers(
      {
        layers: () => world.store.sourceLayers(o),
        open: async (snapshot) => {
          const exportName = `pull.${snapshot}`;
          const reader = await world.store.openReader({ snapshot, view: 'alone', exportName }, o);
          const link = await sourceRig.link(exportName);
          const dispose = link[Symbol.asyncDispose].bind(link);
          return Object.assign(link, { [Symbol.asyncDispose]: () => dispose().then(() => reader.close(o)) });
        },
      },
      o,
    );
    await world.write(20, { also: writing, wholeUnits: true });
    await copying;
    const sums = (await target.record(o)).layers.flatMap(({ snapshot }) => snapshot?.sum?.sha256 ?? []);
    const names = (await world.store.sourceLayers(o)).map(({ snapshot }) => snapshot.name);
    const theirs: string[] = [];
    for (const name of names) theirs.push(await world.store.sumOf(name, o));
    expect(sums).toEqual(theirs);
    // Writes to the head do not change the files of layers; copied data has to be read once.
    await world.write(20, { also: writing, wholeUnits: true });
    const keptBy = (store: typeof world.store) => Promise.all(names.map((name) => store.keptSumOf(name, o)));
    expect(await keptBy(world.store)).toEqual(theirs);
    expect(await keptBy(target)).toEqual(theirs.map(() => undefined));
    await writing.flush();
    const newest = (await world.store.sourceLayers(o)).at(-1)?.snapshot.name ?? '';
    await target.attachLayers(newest, o);
    await world.checkFiles();
    await target.close(o);
    const heads = [];
    for (const [rig, store] of [
      [sourceRig, world.store],
      [targetRig, target],
    ] as const) {
      const { layers, head } = await store.record(o);
      heads.push(join(rig.directory, layers.find(({ id }) => id === head)?.file ?? ''));
    }
    expect(await sourceRig.images.compare(heads[0] ?? '', heads[1] ?? '')).toMatchObject({ equal: true });
  });
});
