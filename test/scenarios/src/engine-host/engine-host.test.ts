import { linkLost, replicaIoError } from '@lateen/block-engine';
import { kubeError } from '@lateen/kube';
import { describe, expect, it } from 'vitest';
import { engineWorld } from './engine-world.ts';
import { unit } from './model-volume.ts';

const o = { signal: new AbortController().signal };
const bytes = (value: number) => [new Uint8Array(unit).fill(value)];
const over = { code: 'GENERATION_OVER' };
const stopRequest = { kind: 'engine', name: 'v-e-0', generation: 7 } as const;

describe('an engine', () => {
  it('writes to all replicas, reports its state, and ends cleanly', async () => {
    const { start, instance, target, hostOf, host, ends, pass } = engineWorld(['a', 'b']);
    expect(await start()).toMatchObject({ kind: 'engine', name: 'v-e-0', state: 'running', endpoint: '/run/v.sock' });
    await target().write(0n, bytes(3));
    expect([hostOf('a').head.content[0], hostOf('b').head.content[0]]).toEqual([3, 3]);
    await pass(1_000);
    expect((await instance()).engine).toMatchObject({
      modes: { a: 'RW', b: 'RW' },
      failures: [],
      holding: false,
      paused: false,
      sizeBytes: BigInt(16 * unit),
      cleanStop: false,
      snapshots: [{ name: 'volume-head' }],
    });
    expect(await host.stop(stopRequest, o)).toEqual({ clean: true });
    expect(await host.stop(stopRequest, o)).toEqual({ clean: true });
    expect(ends).toEqual(['server']);
    expect(await instance()).toMatchObject({ state: 'stopped', engine: { cleanStop: true } });
    await expect(target().read(0n, unit)).rejects.toMatchObject({ details: { errno: 'ESHUTDOWN' } });
  });

  it('starts once: the same request finds it, a changed one is rejected, and after its end the generation is over', async () => {
    const { start, request, host } = engineWorld(['a']);
    const [first, second] = await Promise.all([start(), start()]);
    expect(second).toEqual(first);
    await expect(host.ensureEngine({ ...request, generation: 8 }, o)).rejects.toMatchObject({ code: 'ENGINE_RUNNING' });
    await expect(host.ensureEngine({ ...request, generation: 6 }, o)).rejects.toMatchObject(over);
    await expect(host.ensureEngine({ ...request, name: 'w' }, o)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await host.stop(stopRequest, o);
    await expect(start()).rejects.toMatchObject(over);
  });

  it('rejects a second process of the same generation, which serves nothing', async () => {
    const world = engineWorld(['a']);
    const second = engineWorld(['a'], { seed: 2 });
    await world.start();
    second.cluster.intercept(async () => {
      throw new Error('only the first API server counts');
    });
    Object.assign(second.ports, { kube: world.cluster });
    await expect(second.start()).rejects.toMatchObject(over);
    expect(await second.instance()).toMatchObject({ state: 'error', error: { code: 'GENERATION_OVER' } });
    expect(second.target()).toBeUndefined();
  });

  it('records a replica that it cannot reach before it serves without it', async () => {
    const { start, hostOf, instance, modesNow } = engineWorld(['a', 'b']);
    hostOf('b').head.isDead = true;
    await start();
    expect(await modesNow()).toEqual({ a: 'RW', b: 'ERR' });
    expect((await instance()).engine).toMatchObject({
      modes: { a: 'RW' },
      failures: [{ replica: 'b', cause: 'refused', recorded: true }],
    });
  });

  it.each([
    ['none of its replicas', ['a', 'b'], {}],
    ['the one whose bytes count', ['b'], { readPrimary: 'b', compareHeads: true }],
  ])('does not start when it cannot reach %s, and records nothing', async (_, dead, changed) => {
    const { start, hostOf, modesNow, instance } = engineWorld(['a', 'b'], changed);
    for (const name of dead) hostOf(name).head.isDead = true;
    await expect(start()).rejects.toMatchObject({ code: 'NOT_POSSIBLE_NOW' });
    expect(await modesNow()).toEqual({ a: 'RW', b: 'RW' });
    expect((await instance()).state).toBe('error');
  });

  it('reports a failure, pauses writes until the failure is recorded, and continues', async () => {
    const { start, hostOf, target, instance, cluster, pass } = engineWorld(['a', 'b']);
    await start();
    let isAway = true;
    cluster.intercept(async (_, next) => {
      if (isAway) throw kubeError('KUBE_UNAVAILABLE', 'no connection');
      return next();
    });
    hostOf('b').head.nextError = replicaIoError('EIO', 'bad disk');
    const write = target().write(0n, bytes(1));
    await pass(1_000);
    expect((await instance()).engine).toMatchObject({ holding: true, failures: [{ replica: 'b', recorded: false }] });
    isAway = false;
    await pass(5_000);
    await write;
    expect((await instance()).engine).toMatchObject({ holding: false, failures: [{ replica: 'b', recorded: true }] });
  });

  it('is in error with the cause when another generation has started', async () => {
    const { start, hostOf, target, instance, raise, pass, ends } = engineWorld(['a', 'b']);
    await start();
    await raise('8');
    hostOf('b').head.promise(8);
    const write = expect(target().write(0n, bytes(1))).rejects.toMatchObject({ code: 'BLOCK_IO' });
    await pass(2_000);
    await write;
    expect(await instance()).toMatchObject({ state: 'error', error: { code: 'GENERATION_OVER' } });
    expect(ends).toEqual(['server']);
  });

  it('is in error when its last replica fails, which is not recorded as a failed replica', async () => {
    const { start, hostOf, instance, pass, modesNow } = engineWorld(['a']);
    await start();
    hostOf('a').head.isDead = true;
    hostOf('a').head.cut();
    await pass(1_000);
    const { state, error, engine } = await instance();
    expect({ state, failures: engine?.failures }).toEqual({ state: 'error', failures: [] });
    expect(error?.message).toContain('the last replica');
    expect(await modesNow()).toEqual({ a: 'RW' });
  });

  it('stops at its deadline, not cleanly, while a failure cannot be recorded', async () => {
    const { start, hostOf, target, host, cluster, pass, instance } = engineWorld(['a', 'b']);
    await start();
    cluster.intercept(async () => {
      throw kubeError('KUBE_UNAVAILABLE', 'no connection');
    });
    hostOf('b').head.cut();
    const write = expect(target().write(0n, bytes(1))).rejects.toMatchObject({ code: 'BLOCK_IO' });
    await pass(1_000);
    const stopping = host.stop(stopRequest, o);
    await pass(30_000);
    expect(await stopping).toEqual({ clean: false });
    await write;
    expect(await instance()).toMatchObject({ state: 'stopped', engine: { cleanStop: false } });
  });

  it('stops cleanly although the first caller of stop has left', async () => {
    const { start, hostOf, target, host, pass } = engineWorld(['a', 'b']);
    await start();
    hostOf('b').head.isHung = true;
    const write = target().write(0n, bytes(1));
    const leaves = new AbortController();
    const first = expect(host.stop(stopRequest, { signal: leaves.signal })).rejects.toThrow('the manager restarts');
    leaves.abort(new Error('the manager restarts'));
    await first;
    const second = host.stop(stopRequest, o);
    await pass(15_000);
    await write;
    expect(await second).toEqual({ clean: true });
  });

  it('can be stopped while it cannot claim its generation', async () => {
    const { start, host, cluster, pass, instance } = engineWorld(['a']);
    cluster.intercept(async () => {
      throw kubeError('KUBE_UNAVAILABLE', 'no connection');
    });
    const starting = expect(start()).rejects.toMatchObject({ code: 'NOT_POSSIBLE_NOW' });
    await pass(2_000);
    expect(await host.stop(stopRequest, o)).toEqual({ clean: false });
    await starting;
    expect((await instance()).state).toBe('stopped');
  });

  it('compares replicas after an unclean end, takes no snapshot meanwhile, and tells its replicas when they are equal', async () => {
    const world = engineWorld(['a', 'b'], { compareHeads: true, readPrimary: 'b' });
    world.hostOf('a').head.writeBytes(0, new Uint8Array(unit).fill(1), true);
    world.hostOf('b').head.writeBytes(0, new Uint8Array(unit).fill(2), true);
    const held = Promise.withResolvers<void>();
    world.hostOf('a').before.set('layers', () => held.promise);
    await world.start();
    expect((await world.instance()).engine).toMatchObject({ readPrimary: 'b' });
    const wanted = {
      engine: 'v-e-0',
      generation: 7,
      snapshot: 's',
      userCreated: true,
      created: '',
      labels: {},
      freeze: false,
    };
    await expect(world.host.engineSnapshot(wanted, o)).rejects.toMatchObject({ code: 'NOT_POSSIBLE_NOW' });
    held.resolve();
    world.hostOf('b').before.set('compared', () => {
      throw linkLost('once more');
    });
    await world.pass(3_000);
    expect(world.hostOf('a').head.content[0]).toBe(2);
    expect((await world.instance()).engine?.readPrimary).toBeUndefined();
    expect(world.hostOf('a').asked.filter((call) => call === 'compared')).toHaveLength(1);
    expect(world.hostOf('b').asked.filter((call) => call === 'compared')).toHaveLength(2);
    // The comparison may start before the engine has the set of replicas, and still starts only once.
    expect(world.log.messages('warn')).not.toContain('the comparison of replicas begins again');
    expect(await world.host.stop(stopRequest, o)).toEqual({ clean: true });
  });

  it('rejects operations that are not about engines', async () => {
    const { host } = engineWorld(['a']);
    const refused = { code: 'INVALID_ARGUMENT' };
    await expect(host.inspectDisk('/', o)).rejects.toMatchObject(refused);
    await expect(host.stop({ kind: 'replica', name: 'a', generation: 7 }, o)).rejects.toMatchObject(refused);
    const folders = host.listReplicaFolders('/', o)[Symbol.asyncIterator]();
    await expect(folders.next()).rejects.toMatchObject(refused);
    await expect(host.engineGrow({ engine: 'x', generation: 7, sizeBytes: 1n }, o)).rejects.toMatchObject({
      code: 'INSTANCE_NOT_FOUND',
    });
  });
});
