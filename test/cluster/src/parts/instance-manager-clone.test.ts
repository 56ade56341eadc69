import type { ReplicaLink, StartClone } from '@lateen/block-engine';
import { systemClock as clock } from '@lateen/kernel';
import { connectReplica } from '@lateen/nbd';
import { afterEach, describe, expect, it } from 'vitest';
import { restored as cloned, endOf, movedSome, noise, readAll, transferOf, writeAt } from '../block/backup-rig.ts';
import { never, o } from '../block/instance-manager-rig.ts';
import { type ManagedVolume, managedVolume, volume } from '../block/instance-manager-volume.ts';

const MiB = 1024 * 1024;
const testMs = 300_000;
let undo = new AsyncDisposableStack();

afterEach(async () => {
  await undo.disposeAsync();
  undo = new AsyncDisposableStack();
}, testMs);

/** An attached source of two replicas on two nodes, with data, trimmed and zeroed areas, and a snapshot; more is written afterwards. */
async function aSource() {
  const managed = undo.use(await managedVolume(['r-a', 'r-b']));
  await Promise.all(managed.nodes.map((node) => node.start()));
  const link = async (socket = ''): Promise<ReplicaLink> =>
    undo.use(await connectReplica({ at: { path: socket }, exportName: 'volume', clock, signal: never }));
  const source = await link((await managed.engine(1, { 'r-a': 0, 'r-b': 1 })).endpoint);
  await writeAt(source, 0, noise(40 * MiB, 1));
  await writeAt(source, 301 * MiB + 512, noise(5 * MiB, 2));
  await source.trim(8n * BigInt(MiB), 8 * MiB);
  await source.zero(20n * BigInt(MiB), 4 * MiB);
  await take(managed, 's-1');
  const bytes = await readAll(source, volume.bytes);
  await writeAt(source, 2 * MiB, noise(4 * MiB, 3));
  return { managed, source, link, bytes };
}

const take = ({ nodes: [n1] }: ManagedVolume, snapshot: string) => {
  const created = new Date(clock.now()).toISOString();
  const of = { engine: volume.engine, generation: 1, snapshot, userCreated: true, created, labels: {} };
  return n1.host.engineSnapshot({ ...of, freeze: false }, o);
};

/** Starts a clone on the first node; default source: the replica of the other node. */
function cloneOn({ nodes: [n1, n2] }: ManagedVolume, change: Partial<StartClone> = {}) {
  const request: StartClone = {
    ...{ clone: 'clone-pvc-2-1', engine: cloned.engine, generation: 1, volume: cloned.name },
    ...{ sourceVolume: volume.name, sourceReplica: 'r-b', sourceManager: `${n2.address}:${n2.managerPort}` },
    ...{ snapshot: 's-1', isNew: true, detached: true, ...change },
  };
  return n1.host.startClone(request, o);
}

describe('clones between instance managers', () => {
  it('have the content of the snapshot, byte for byte, from a replica of another node and of their own, and read only areas with data', {
    timeout: testMs,
  }, async () => {
    const { managed, link, bytes } = await aSource();
    const [n1] = managed.nodes;
    const sink = await link((await managed.engine(1, { 'r-c': 0, 'r-d': 1 }, {}, cloned)).endpoint);
    const first = await endOf(cloneOn(managed));
    expect(first.error).toBeUndefined();
    expect(first).toMatchObject({ ended: true, doneBytes: first.totalBytes });
    expect(Number(first.totalBytes)).toBeLessThanOrEqual(34 * MiB);
    expect((await readAll(sink, volume.bytes)).equals(bytes)).toBe(true);
    // Over other content, from the other replica.
    await writeAt(sink, 100 * MiB, noise(4 * MiB, 9));
    await writeAt(sink, 8 * MiB, noise(4 * MiB, 9));
    const own = { sourceReplica: 'r-a', sourceManager: `${n1.address}:${n1.managerPort}` };
    const over = await endOf(cloneOn(managed, { ...own, clone: 'clone-pvc-2-2', isNew: false }));
    expect(over.error).toBeUndefined();
    expect((await readAll(sink, volume.bytes)).equals(bytes)).toBe(true);
    // A repeated request gets the end.
    expect(await endOf(cloneOn(managed))).toEqual(first);
    for (const name of ['clone-pvc-2-1', 'clone-pvc-2-2']) await managed.stop(n1, 'transfer', name, 0);
    expect(await transferOf(n1)).toBeUndefined();
  });

  it('continue when the instance manager is killed, and are started again when their own process is killed', {
    timeout: testMs,
  }, async () => {
    const { managed, link, bytes } = await aSource();
    const [n1, n2] = managed.nodes;
    const sink = await link((await managed.engine(1, { 'r-c': 0 }, {}, cloned)).endpoint);
    await movedSome(cloneOn(managed));
    const pid = await transferOf(n1);
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
    await n2.kill();
    await n2.start();
    await managed.stop(n1, 'transfer', 'clone-pvc-2-1', 0);
    const last = await endOf(cloneOn(managed, { clone: 'clone-pvc-2-2' }));
    expect(last.error).toBeUndefined();
    expect((await readAll(sink, volume.bytes)).equals(bytes)).toBe(true);
  });

  it('end with the cause when there is no such snapshot, or when the engine has another generation', {
    timeout: testMs,
  }, async () => {
    const { managed } = await aSource();
    await managed.engine(1, { 'r-c': 0 }, {}, cloned);
    const none = await endOf(cloneOn(managed, { snapshot: 's-9' }));
    expect(none.error).toMatchObject({ code: 'SNAPSHOT_NOT_FOUND' });
    const old = async () => await endOf(cloneOn(managed, { clone: 'clone-pvc-2-2', generation: 2 }));
    await expect(old()).rejects.toMatchObject({ code: 'GENERATION_OVER' });
  });
});
