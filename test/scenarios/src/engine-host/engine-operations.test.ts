import { hostError } from '@lateen/block-engine';
import { describe, expect, it } from 'vitest';
import { engineWorld } from './engine-world.ts';
import { unit } from './model-volume.ts';

const o = { signal: new AbortController().signal };
const bytes = (value: number) => [new Uint8Array(unit).fill(value)];
const engine = { engine: 'v-e-0', generation: 7 };
const snapshot = (name: string) => ({
  ...engine,
  snapshot: name,
  userCreated: true,
  created: '2030-01-01T00:00:00Z',
  labels: { why: 'test' },
  freeze: false,
});
const failing =
  (code: 'HOST_UNREACHABLE' | 'NOT_POSSIBLE_NOW' | 'SIZE_REFUSED' = 'HOST_UNREACHABLE') =>
  () => {
    throw hostError(code, 'it does not');
  };
const notNow = { code: 'NOT_POSSIBLE_NOW' };

async function running(names: readonly string[] = ['a', 'b']) {
  const world = engineWorld(names);
  await world.start();
  await world.target().write(0n, bytes(1));
  return world;
}
const firstByte = (world: ReturnType<typeof engineWorld>, name: string) => world.hostOf(name).head.content[0];
async function snapshotsShown(world: ReturnType<typeof engineWorld>) {
  const { engine: state } = await world.instance();
  return state?.snapshots.map(({ name, parent, removed }) => `${name}${removed ? ' removed' : ''} on ${parent}`);
}

describe('a snapshot', () => {
  it('is taken on all replicas; repeating it succeeds, and a different one of the same name is rejected', async () => {
    const world = await running();
    expect(await world.host.engineSnapshot(snapshot('s1'), o)).toEqual({ replicas: ['a', 'b'] });
    expect(await world.host.engineSnapshot(snapshot('s1'), o)).toEqual({ replicas: ['a', 'b'] });
    const other = { ...snapshot('s1'), created: '2031-01-01T00:00:00Z' };
    await expect(world.host.engineSnapshot(other, o)).rejects.toMatchObject({ code: 'SNAPSHOT_EXISTS' });
    await world.host.engineSnapshot(snapshot('s2'), o);
    expect(await snapshotsShown(world)).toEqual(['s1 on undefined', 's2 on s1', 'volume-head on s2']);
    expect(world.hostOf('a').asked.filter((call) => call === 'snapshot')).toHaveLength(2);
  });

  it('that cannot be prepared on all replicas is taken on none, and no replica fails', async () => {
    const world = await running();
    world.hostOf('b').before.set('prepareSnapshot', failing());
    await expect(world.host.engineSnapshot(snapshot('s1'), o)).rejects.toMatchObject({ code: 'HOST_UNREACHABLE' });
    expect(world.hostOf('a').prepared).toBeUndefined();
    expect((await world.instance()).engine?.modes).toEqual({ a: 'RW', b: 'RW' });
    expect(world.hostOf('a').snapshotNames).toEqual([]);
  });

  it('that a replica fails to take fails that replica, with a record', async () => {
    const world = await running();
    world.hostOf('b').before.set('snapshot', failing());
    expect(await world.host.engineSnapshot(snapshot('s1'), o)).toEqual({ replicas: ['a'] });
    expect(await world.modesNow()).toEqual({ a: 'RW', b: 'ERR' });
    expect((await world.instance()).engine).toMatchObject({ paused: false, modes: { a: 'RW' } });
  });

  it('ends its wait for a replica that does not answer, and writes continue', async () => {
    const world = await running();
    world.hostOf('b').before.set('snapshot', () => new Promise(() => {}));
    const taking = world.host.engineSnapshot(snapshot('s1'), o);
    await world.pass(1_000);
    const write = world.target().write(0n, bytes(2));
    await world.pass(8_000);
    expect(await taking).toEqual({ replicas: ['a'] });
    await write;
    expect(world.hostOf('a').layersDown[0]?.content[0]).toBe(1);
    expect(await world.modesNow()).toEqual({ a: 'RW', b: 'ERR' });
  });

  it('that no replica takes fails, fails no replica, and leaves no valid snapshot', async () => {
    const world = await running();
    world.hostOf('a').before.set('snapshot', failing());
    world.hostOf('b').before.set('snapshot', failing());
    await expect(world.host.engineSnapshot(snapshot('s1'), o)).rejects.toMatchObject({ code: 'HOST_UNREACHABLE' });
    expect(await world.modesNow()).toEqual({ a: 'RW', b: 'RW' });
    expect(world.hostOf('a').prepared).toBeUndefined();
    await world.target().write(0n, bytes(2));
  });

  it('that an earlier attempt left on some replicas is not used, and a purge removes it', async () => {
    const world = await running();
    const facts = { replica: 'a', volumeUid: 'volume-uid', generation: 7 };
    await world.hostOf('a').snapshot({ ...facts, ...snapshot('s1') });
    await expect(world.host.engineSnapshot(snapshot('s1'), o)).rejects.toMatchObject({ code: 'SNAPSHOT_EXISTS' });
    expect(await snapshotsShown(world)).toEqual(['volume-head on undefined']);
    for await (const _ of world.host.enginePurge(engine, o));
    expect(world.hostOf('a').snapshotNames).toEqual([]);
  });

  it('is rejected for another generation, and by an engine that has stopped', async () => {
    const world = await running();
    const late = { ...snapshot('s1'), generation: 6 };
    await expect(world.host.engineSnapshot(late, o)).rejects.toMatchObject({ code: 'GENERATION_OVER' });
    await world.host.stop({ kind: 'engine', name: 'v-e-0', generation: 7 }, o);
    await expect(world.host.engineSnapshot(snapshot('s1'), o)).rejects.toMatchObject(notNow);
  });
});

describe('a purge', () => {
  it('frees the room of removed snapshots on each replica, one by one, with progress', async () => {
    const world = await running();
    for (const name of ['s1', 's2']) await world.host.engineSnapshot(snapshot(name), o);
    await world.host.engineSnapshotDelete({ ...engine, snapshot: 's1' }, o);
    expect(await snapshotsShown(world)).toEqual(['s1 removed on undefined', 's2 on s1', 'volume-head on s2']);
    const seen: string[] = [];
    for await (const { replica, snapshot: name } of world.host.enginePurge(engine, o)) seen.push(`${replica} ${name}`);
    expect(seen).toEqual(['a s1', 'b s1']);
    expect((await world.instance()).engine?.purge).toBeUndefined();
    expect(await snapshotsShown(world)).toEqual(['s2 on undefined', 'volume-head on s2']);
  });

  it('frees the room on the other replicas when one fails, and reports the failure', async () => {
    const world = await running();
    await world.host.engineSnapshot(snapshot('s1'), o);
    await world.host.engineSnapshotDelete({ ...engine, snapshot: 's1' }, o);
    world.hostOf('a').before.set('purge', failing());
    const purging = async () => {
      for await (const _ of world.host.enginePurge(engine, o));
    };
    await expect(purging()).rejects.toMatchObject({ code: 'HOST_UNREACHABLE' });
    expect(world.hostOf('b').snapshotNames).toEqual([]);
    expect((await world.instance()).engine?.purge).toMatchObject({ replica: 'a', error: { code: 'HOST_UNREACHABLE' } });
    await purging();
    expect((await world.instance()).engine?.purge).toBeUndefined();
  });

  it('runs once at a time, and again after a caller stopped reading it early', async () => {
    const world = await running();
    await world.host.engineSnapshot(snapshot('s1'), o);
    await world.host.engineSnapshotDelete({ ...engine, snapshot: 's1' }, o);
    const first = world.host.enginePurge(engine, o)[Symbol.asyncIterator]();
    await first.next();
    await expect(world.host.enginePurge(engine, o)[Symbol.asyncIterator]().next()).rejects.toMatchObject(notNow);
    await first.return?.();
    for await (const _ of world.host.enginePurge(engine, o));
    expect(world.hostOf('b').snapshotNames).toEqual([]);
  });
});

describe('a revert', () => {
  async function withSnapshot() {
    const world = await running();
    await world.host.engineSnapshot(snapshot('s1'), o);
    await world.target().write(0n, bytes(2));
    return world;
  }
  const revert = (world: ReturnType<typeof engineWorld>) => world.host.engineRevert({ ...engine, snapshot: 's1' }, o);

  it('reverts all replicas, which accept writes afterwards', async () => {
    const world = await withSnapshot();
    await revert(world);
    expect((await world.target().read(0n, unit))[0]?.[0]).toBe(1);
    await world.target().write(0n, bytes(3));
    expect([firstByte(world, 'a'), firstByte(world, 'b')]).toEqual([3, 3]);
  });

  it('fails a replica that does not answer, with a record', async () => {
    const world = await withSnapshot();
    world.hostOf('a').before.set('revert', failing());
    await revert(world);
    expect(await world.modesNow()).toEqual({ a: 'ERR', b: 'RW' });
    expect((await world.target().read(0n, unit))[0]?.[0]).toBe(1);
  });

  it('fails a replica that rejects it when others have reverted, and none when all reject it', async () => {
    const world = await withSnapshot();
    world.hostOf('a').before.set('revert', failing('NOT_POSSIBLE_NOW'));
    world.hostOf('b').before.set('revert', failing('NOT_POSSIBLE_NOW'));
    await expect(revert(world)).rejects.toMatchObject(notNow);
    expect(await world.modesNow()).toEqual({ a: 'RW', b: 'RW' });
    expect((await world.target().read(0n, unit))[0]?.[0]).toBe(2);
    world.hostOf('a').before.set('revert', failing('NOT_POSSIBLE_NOW'));
    await revert(world);
    expect(await world.modesNow()).toEqual({ a: 'ERR', b: 'RW' });
  });

  it('to a snapshot that a replica does not have is not started', async () => {
    const world = await withSnapshot();
    world.hostOf('b').layersDown = [];
    await expect(revert(world)).rejects.toMatchObject({ code: 'SNAPSHOT_NOT_FOUND' });
    expect(world.hostOf('a').asked).not.toContain('revert');
  });
});

describe('growing a volume', () => {
  const grow = (world: ReturnType<typeof engineWorld>, units: number) =>
    world.host.engineGrow({ ...engine, sizeBytes: BigInt(units * unit) }, o);

  it('succeeds when all replicas have grown; repeating it succeeds, and shrinking is rejected', async () => {
    const world = await running();
    await grow(world, 20);
    await grow(world, 20);
    await world.target().write(BigInt(19 * unit), bytes(4));
    expect(world.hostOf('b').head.content[19 * unit]).toBe(4);
    expect((await world.instance()).engine?.sizeBytes).toBe(BigInt(20 * unit));
    await expect(grow(world, 16)).rejects.toMatchObject({ code: 'SIZE_REFUSED' });
  });

  it('that a replica rejects changes nothing and fails no replica; the next call continues', async () => {
    const world = await running();
    world.hostOf('b').before.set('grow', failing('SIZE_REFUSED'));
    await expect(grow(world, 20)).rejects.toMatchObject({ code: 'SIZE_REFUSED' });
    expect(await world.modesNow()).toEqual({ a: 'RW', b: 'RW' });
    expect(world.target().sizeBytes).toBe(BigInt(16 * unit));
    await grow(world, 20);
    expect(world.target().sizeBytes).toBe(BigInt(20 * unit));
  });

  it('that a replica does not answer fails no replica, and the next call continues', async () => {
    const world = await running();
    world.hostOf('b').before.set('grow', failing());
    await expect(grow(world, 20)).rejects.toMatchObject({ code: 'HOST_UNREACHABLE' });
    expect(await world.modesNow()).toEqual({ a: 'RW', b: 'RW' });
    await grow(world, 20);
    expect(world.target().sizeBytes).toBe(BigInt(20 * unit));
  });

  it('fails a replica that cannot be reached afterwards, with a record', async () => {
    const world = await running();
    world.hostOf('b').before.set('grow', () => {
      world.hostOf('b').head.isDead = true;
    });
    await grow(world, 20);
    expect(await world.modesNow()).toEqual({ a: 'RW', b: 'ERR' });
    expect(world.target().sizeBytes).toBe(BigInt(20 * unit));
  });
});

describe('dropping a replica', () => {
  const drop = (world: ReturnType<typeof engineWorld>, replica: string) =>
    world.host.engineDropReplica({ ...engine, replica, cause: 'deleted', message: 'it is being deleted' }, o);

  it('records the failure after all answered writes are on the disks of the others; repeating it succeeds', async () => {
    const world = await running();
    const lost = world.hostOf('b').head;
    await drop(world, 'a');
    await drop(world, 'a');
    expect(await world.modesNow()).toEqual({ a: 'ERR', b: 'RW' });
    lost.losePower();
    expect(lost.content[0]).toBe(1);
  });

  it('is not possible for the last one', async () => {
    const world = await running(['a']);
    await expect(drop(world, 'a')).rejects.toMatchObject(notNow);
    expect((await world.instance()).state).toBe('running');
  });
});

describe('a caller that leaves while the engine is paused', () => {
  const calls = {
    snapshot: { does: 'snapshot', ask: (world, o) => world.host.engineSnapshot(snapshot('s2'), o) },
    growth: {
      does: 'grow',
      ask: (world, o) => world.host.engineGrow({ ...engine, sizeBytes: BigInt(20 * unit) }, o),
    },
    revert: { does: 'revert', ask: (world, o) => world.host.engineRevert({ ...engine, snapshot: 's1' }, o) },
  } satisfies Record<
    string,
    {
      does: 'snapshot' | 'grow' | 'revert';
      ask: (world: ReturnType<typeof engineWorld>, o: { signal: AbortSignal }) => Promise<unknown>;
    }
  >;

  it.each(Object.entries(calls))(
    'does not interrupt a %s: it is completed, and no replica fails',
    async (_, { does, ask }) => {
      const world = await running();
      await world.host.engineSnapshot(snapshot('s1'), o);
      const leaving = new AbortController();
      world.hostOf('b').before.set(does, async () => {
        await world.clock.sleep(100, o.signal);
        leaving.abort(new Error('the manager was restarted'));
        await world.clock.sleep(100, o.signal);
      });
      const asked = ask(world, { signal: leaving.signal }).catch(() => {});
      await world.pass(2_000);
      await asked;
      expect(await world.modesNow()).toEqual({ a: 'RW', b: 'RW' });
      await world.target().write(0n, bytes(5));
      expect([firstByte(world, 'a'), firstByte(world, 'b')]).toEqual([5, 5]);
      expect([world.hostOf('a').snapshotNames, world.hostOf('a').sizeBytes]).toEqual([
        world.hostOf('b').snapshotNames,
        world.hostOf('b').sizeBytes,
      ]);
    },
  );
});
