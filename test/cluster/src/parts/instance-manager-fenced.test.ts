import { join } from 'node:path';
import type { ReplicaAddress, ReplicaLink } from '@lateen/block-engine';
import { systemClock as clock } from '@lateen/kernel';
import { connectReplica } from '@lateen/nbd';
import { engineType, replicaType } from '@lateen/storage-types';
import { afterEach, describe, expect, it } from 'vitest';
import { noise } from '../block/backup-rig.ts';
import { type CutNetwork, cutNetwork } from '../block/cut-network.ts';
import { never, o, type RigNode } from '../block/instance-manager-rig.ts';
import { engineUntil, type ManagedVolume, managedVolume, volume } from '../block/instance-manager-volume.ts';

const testMs = 300_000;
const blockBytes = 64 * 1024;
const replyTimeoutMs = 8_000;
/** As in `let-start.ts`: the lease of the earlier engine, and a quarter. */
const leaseMs = 1.25 * replyTimeoutMs;
/** The address of the second node for the first one: behind the network that is cut. */
const secondFromFirst = '127.0.0.4';
const failedAt = '2030-01-01T00:00:00Z';

let undo = new AsyncDisposableStack();
afterEach(async () => {
  await undo.disposeAsync();
  undo = new AsyncDisposableStack();
}, testMs);

const link = async (socket = ''): Promise<ReplicaLink> =>
  undo.use(await connectReplica({ at: { path: socket }, exportName: 'volume', clock, signal: never }));
const bytesOf = (block: number, salt: number) => noise(blockBytes, block * 8 + salt);
const writeBlock = (to: ReplicaLink, block: number, salt: number) =>
  to.write(BigInt(block * blockBytes), [bytesOf(block, salt)]);
const readBlock = async (from: ReplicaLink, block: number) =>
  Buffer.concat(await from.read(BigInt(block * blockBytes), blockBytes));

interface Fenced {
  readonly managed: ManagedVolume;
  readonly network: CutNetwork;
  /** Address of `r-a` in generation 1. */
  readonly local: ReplicaAddress;
  /** Address of `r-b` in generation 1, on its own node. */
  readonly second: ReplicaAddress;
  /** The volume through the engine of generation 1. */
  readonly first: ReplicaLink;
}

/**
 * An engine on the first node with a replica on each node; it reaches the second node and the API server only through the network that is
 * cut.
 */
async function attached(): Promise<Fenced> {
  const network = undo.use(cutNetwork());
  const managed = undo.use(
    await managedVolume(['r-a', 'r-b'], {
      firstAsks: (port) => network.lead({ host: '127.0.0.1', port: 0 }, { host: '127.0.0.1', port }),
    }),
  );
  const [n1, n2] = managed.nodes;
  await Promise.all(managed.nodes.map((node) => node.start()));
  const local = await managed.ensureReplica(n1, 'r-a', { generation: 1 });
  const second = await managed.ensureReplica(n2, 'r-b', { generation: 1 });
  for (const port of [second.port, n2.managerPort])
    await network.lead({ host: secondFromFirst, port }, { host: n2.address, port });
  const addresses = [local, { ...second, host: secondFromFirst }];
  const { endpoint } = await n1.host.ensureEngine(managed.engineRequest(1, addresses, { replyTimeoutMs }), o);
  return { managed, network, local, second, first: await link(endpoint) };
}

/** Writes block after block, several in parallel, until one of them fails; returns the acknowledged ones. */
function writing(to: ReplicaLink, { from, salt }: { from: number; salt: number }) {
  const answered = new Set<number>();
  let next = from;
  const one = async () => {
    for (;;) {
      const block = next++;
      await writeBlock(to, block, salt);
      answered.add(block);
    }
  };
  return { answered, ended: Promise.allSettled([one(), one(), one(), one()]) };
}

/** Starts as the manager does without a replica whose node does not answer. */
async function startOnSecond({ managed }: Fenced): Promise<ReplicaLink> {
  const [, n2] = managed.nodes;
  await managed.raise(2);
  const replica = await managed.ensureReplica(n2, 'r-b', { generation: 2, mayCreate: false });
  const key = { namespace: volume.namespace, name: 'r-a' };
  await managed.cluster.patch(replicaType, key, { type: 'merge', body: { spec: { failedAt } } });
  const engine = { namespace: volume.namespace, name: volume.engine };
  const body = { status: { replicaModeMap: { 'r-a': null, 'r-b': 'RW' } } };
  await managed.cluster.patch(engineType, engine, { type: 'merge', body }, { subresource: 'status' });
  await clock.sleep(leaseMs);
  const own = [{ ...replica, local: true }];
  const { endpoint } = await n2.host.ensureEngine(
    managed.engineRequest(2, own, { replyTimeoutMs, compareHeads: true, readPrimary: 'r-b' }),
    o,
  );
  return await link(endpoint);
}

/** Rebuilds the replica beside the old engine from the replica of the next engine. */
async function rebuiltOnFirst({ managed }: Fenced): Promise<ReplicaAddress> {
  const [n1, n2] = managed.nodes;
  await managed.stop(n1, 'engine', volume.engine, 1);
  const replica = await managed.ensureReplica(n1, 'r-a', { generation: 2, mayCreate: false, rebuilding: true });
  const place = ({ address, managerPort }: RigNode) => `${address}:${managerPort}`;
  const add = {
    ...{ engine: volume.engine, generation: 2, replica: { ...replica, local: false } },
    ...{ managers: { 'r-a': place(n1), 'r-b': place(n2) }, fast: true, copiesAtOnce: 1 },
  };
  for await (const { error } of n2.host.engineAddReplica(add, o)) expect(error).toBeUndefined();
  await engineUntil(n2, ({ engine }) => engine?.modes['r-a'] === 'RW');
  return replica;
}

/** `r-b` rejects generation 1: no connection, no request, no promise. */
async function refusesTheFirst({ managed, second }: Fenced): Promise<void> {
  const [, n2] = managed.nodes;
  const of = { volumeUid: volume.uid, replica: 'r-b', generation: 1 };
  await expect(n2.head(of, second.port)).rejects.toMatchObject({ code: 'LINK_REFUSED' });
  await expect(n2.control.layers(of, o)).rejects.toMatchObject({ code: 'GENERATION_OVER' });
  const directory = join(n2.disk, 'replicas', 'r-b');
  await expect(n2.host.promiseGeneration({ ...of, directory }, o)).rejects.toMatchObject({ code: 'GENERATION_OVER' });
  await expect(managed.ensureReplica(n2, 'r-b', { generation: 1 })).rejects.toMatchObject({ code: 'GENERATION_OVER' });
}

describe('a volume whose node is cut off from the others', () => {
  it('is written only by the next engine, which has all acknowledged writes, and the old engine ends when the network is back', {
    timeout: testMs,
  }, async () => {
    const fenced = await attached();
    const { managed, network, local, first } = fenced;
    const [n1] = managed.nodes;
    for (let block = 0; block < 64; block++) await writeBlock(first, block, 1);
    const { answered, ended } = writing(first, { from: 64, salt: 1 });
    await expect.poll(() => answered.size, { timeout: 60_000, interval: 5 }).toBeGreaterThan(128);

    network.cut();
    const held = await engineUntil(n1, ({ engine }) => engine?.holding === true);
    expect(held.engine?.failures).toMatchObject([{ replica: 'r-b', cause: 'timeout', recorded: false }]);
    const before = [...answered];
    const settled: string[] = [];
    const watched = (request: Promise<unknown>) => {
      void request.then(
        () => settled.push('answered'),
        () => settled.push('failed'),
      );
    };
    // Two blocks were acknowledged before, the last one was never written.
    for (const block of [0, 2, 4_000]) watched(writeBlock(first, block, 2));
    const next = await startOnSecond(fenced);
    await refusesTheFirst(fenced);
    for (const block of [...Array(64).keys(), ...before])
      expect((await readBlock(next, block)).equals(bytesOf(block, 1)), `block ${block}`).toBe(true);
    await writeBlock(next, 1, 3);
    await next.flush();
    // A read of what has been overwritten since. No write of the old engine overlaps it: only the lease prevents the answer.
    watched(readBlock(first, 1));
    await clock.sleep(2_000);
    expect([answered.size, settled]).toEqual([before.length, []]);

    network.heal();
    expect(await engineUntil(n1, ({ state }) => state === 'error')).toMatchObject({
      generation: 1,
      error: { code: 'GENERATION_OVER' },
    });
    await expect.poll(() => settled, { timeout: 60_000 }).toEqual(['failed', 'failed', 'failed', 'failed']);
    await ended;
    expect(answered.size).toBe(before.length);
    await refusesTheFirst(fenced);
    // The requests of the old engine have arrived through the network by now, and have changed nothing.
    const whole = async (at: ReplicaLink) => {
      for (const block of [...Array(64).keys(), ...before])
        expect((await readBlock(at, block)).equals(bytesOf(block, block === 1 ? 3 : 1)), `block ${block}`).toBe(true);
      expect((await readBlock(at, 4_000)).equals(Buffer.alloc(blockBytes))).toBe(true);
    };
    await whole(next);
    expect(await managed.modes()).toEqual({ 'r-b': 'RW' });
    expect(await managed.failedAt('r-b')).toBeUndefined();
    expect(await managed.failedAt('r-a')).toBe(failedAt);
    // It has writes that were never acknowledged, and loses them in its rebuild.
    const of = { volumeUid: volume.uid, replica: 'r-a' };
    await using stale = await n1.head({ ...of, generation: 1 }, local.port);
    expect((await readBlock(stale, 2)).equals(bytesOf(2, 2))).toBe(true);
    const { port } = await rebuiltOnFirst(fenced);
    await using rebuilt = await n1.head({ ...of, generation: 2 }, port);
    await whole(rebuilt);
    await whole(next);
  });
});
