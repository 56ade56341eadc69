import { type EngineAddReplica, hostError, type RebuildProgress, type ReplicaControl } from '@lateen/block-engine';
import { kubeError } from '@lateen/kube';
import { engineType } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { engineKey, engineWorld } from './engine-world.ts';
import { unit } from './model-volume.ts';

const never = new AbortController().signal;
const bytes = (value: number) => [new Uint8Array(unit).fill(value)];
const engine = { engine: 'v-e-0', generation: 7 };
const add = (replica: string): EngineAddReplica => ({
  ...engine,
  replica: { replica, host: replica, port: 10_000, local: false },
  managers: { a: 'a:8500', b: 'b:8500', [replica]: `${replica}:8500` },
  fast: true,
  copiesAtOnce: 1,
});
const unreachable = () => {
  throw hostError('HOST_UNREACHABLE', 'it does not answer');
};

async function running() {
  const world = engineWorld(['a', 'b'], { spare: ['c', 'd'] });
  await world.start();
  await world.target().write(0n, bytes(1));
  const rebuild = async (replica = 'c', signal = never) => {
    const seen: RebuildProgress[] = [];
    for await (const progress of world.host.engineAddReplica(add(replica), { signal })) seen.push(progress);
    return seen;
  };
  /** Runs `act` while the rebuild makes the call. */
  const during = (call: keyof ReplicaControl, act: () => Promise<void> | void) =>
    world.hostOf('c').before.set(call, act);
  return { ...world, rebuild, during, c: world.hostOf('c') };
}

describe('a rebuild', () => {
  it('copies the layers while the engine serves, and reads from the replica when it is recorded as healthy', async () => {
    const { rebuild, during, target, c, hostOf, modesNow, instance } = await running();
    during('copyLayers', async () => {
      expect(await modesNow()).toEqual({ a: 'RW', b: 'RW', c: 'WO' });
      expect((await instance()).engine).toMatchObject({
        modes: { c: 'WO' },
        rebuild: { replica: 'c', step: 'copying' },
      });
      await target().write(BigInt(unit + 512), [new Uint8Array(512).fill(2)]);
    });
    const steps = (await rebuild()).map(({ step }) => step);
    expect([...new Set(steps)]).toEqual(['preparing', 'copying', 'attaching']);
    expect(await modesNow()).toEqual({ a: 'RW', b: 'RW', c: 'RW' });
    expect((await instance()).engine).toMatchObject({ modes: { c: 'RW' }, failures: [] });
    expect((await instance()).engine?.rebuild).toBeUndefined();
    await target().write(BigInt(2 * unit), bytes(3));
    expect(Buffer.compare(c.head.content, hostOf('a').head.content)).toBe(0);
    expect(c.recordState).toBe('whole');
  });

  it('is joined by a second call, continues when its first caller leaves, and is complete for a third', async () => {
    const { rebuild, during, modesNow } = await running();
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    during('copyLayers', () => {
      begun.resolve();
      return held.promise;
    });
    const leaves = new AbortController();
    const first = expect(rebuild('c', leaves.signal)).rejects.toThrow('the manager restarts');
    await begun.promise;
    leaves.abort(new Error('the manager restarts'));
    await first;
    await expect(rebuild('d')).rejects.toMatchObject({ code: 'NOT_POSSIBLE_NOW' });
    const second = rebuild();
    held.resolve();
    await second;
    expect(await modesNow()).toMatchObject({ c: 'RW' });
    expect(await rebuild()).toEqual([]);
  });

  it('rejects purges, reverts and growth, stops a running purge, and takes snapshots on the new replica too', async () => {
    const { rebuild, during, host, c, target, hostOf } = await running();
    const o = { signal: never };
    during('copyLayers', async () => {
      const notNow = { code: 'NOT_POSSIBLE_NOW' };
      await expect(host.enginePurge(engine, o)[Symbol.asyncIterator]().next()).rejects.toMatchObject(notNow);
      await expect(host.engineGrow({ ...engine, sizeBytes: BigInt(32 * unit) }, o)).rejects.toMatchObject(notNow);
      await expect(host.engineRevert({ ...engine, snapshot: 's' }, o)).rejects.toMatchObject(notNow);
      const facts = { userCreated: true, created: '2030-01-01T00:00:00Z', labels: {}, freeze: false };
      await host.engineSnapshot({ ...engine, snapshot: 's', ...facts }, o);
      await target().write(0n, bytes(7));
    });
    await rebuild();
    expect(c.snapshotNames).toEqual(hostOf('a').snapshotNames);
    expect(c.snapshotNames[1]).toBe('s');
    expect(c.head.content[0]).toBe(7);
  });

  it('tries another source when a copy fails', async () => {
    const { rebuild, during, modesNow, pass } = await running();
    during('copyLayers', unreachable);
    const rebuilding = rebuild();
    await pass(3_000);
    const from = (await rebuilding).map((progress) => progress.from).filter((name) => name !== undefined);
    expect(from).toContain('b');
    expect(await modesNow()).toMatchObject({ c: 'RW' });
  });
});

describe('a rebuild that fails', () => {
  it.each<[keyof ReplicaControl, boolean]>([
    ['beginRebuild', false],
    ['attachLayers', true],
  ])('at %s leaves no snapshot, and a failure record if the replica was in the set: %s', async (call, isRecorded) => {
    const { rebuild, during, modesNow, hostOf, instance, target } = await running();
    during(call, unreachable);
    await expect(rebuild()).rejects.toMatchObject({ code: 'HOST_UNREACHABLE' });
    expect(await modesNow()).toEqual(isRecorded ? { a: 'RW', b: 'RW', c: 'ERR' } : { a: 'RW', b: 'RW' });
    for (const name of ['a', 'b']) expect(hostOf(name).layersDown.every(({ fact }) => fact.removed)).toBe(true);
    expect((await instance()).engine).toMatchObject({
      modes: { a: 'RW', b: 'RW' },
      rebuild: { error: { code: 'HOST_UNREACHABLE' } },
    });
    await target().write(0n, bytes(4));
  });

  it('because its replica dies during a copy ends immediately, and a later rebuild succeeds', async () => {
    const { rebuild, during, modesNow, c, pass, cluster } = await running();
    during('copyLayers', () => {
      c.head.cut();
      return new Promise(() => {});
    });
    const rebuilding = rebuild();
    const end = expect(rebuilding).rejects.toMatchObject({ code: 'NOT_POSSIBLE_NOW' });
    await pass(2_000);
    await end;
    expect(await modesNow()).toMatchObject({ c: 'ERR' });
    await expect(rebuild()).rejects.toMatchObject({ code: 'NOT_POSSIBLE_NOW' });
    // The manager has processed the failure.
    const body = { status: { replicaModeMap: { c: null as never } } };
    await cluster.patch(engineType, engineKey, { type: 'merge', body }, { subresource: 'status' });
    await rebuild();
    expect(await modesNow()).toMatchObject({ c: 'RW' });
  });

  it('because its health cannot be recorded ends with a failure record', async () => {
    const { rebuild, during, modesNow, cluster, pass } = await running();
    let isAway = false;
    cluster.intercept(async (_, next) => {
      if (isAway) throw kubeError('KUBE_UNAVAILABLE', 'no connection');
      return next();
    });
    during('attachLayers', () => {
      isAway = true;
    });
    const end = expect(rebuild()).rejects.toBeDefined();
    await pass(15_000);
    isAway = false;
    await pass(10_000);
    await end;
    expect(await modesNow()).toEqual({ a: 'RW', b: 'RW', c: 'ERR' });
  });

  it('because its engine stops leaves no replica that a later engine starts with, and the others end cleanly', async () => {
    const { rebuild, during, host, modesNow } = await running();
    const begun = Promise.withResolvers<void>();
    during('copyLayers', () => {
      begun.resolve();
      return new Promise(() => {});
    });
    const end = expect(rebuild()).rejects.toMatchObject({ code: 'NOT_POSSIBLE_NOW' });
    await begun.promise;
    expect(await host.stop({ kind: 'engine', name: 'v-e-0', generation: 7 }, { signal: never })).toEqual({
      clean: true,
    });
    await end;
    expect(await modesNow()).toEqual({ a: 'RW', b: 'RW', c: 'WO' });
  });
});
