import { access, mkdtemp, readdir, readFile, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EnsureReplica, Instance, InstanceEvent } from '@lateen/block-engine';
import { blockTools, freePorts } from '@lateen/cluster';
import { exportKey, openLeased } from '@lateen/instance-host';
import { systemClock as clock, systemRandom as random, silentLogger } from '@lateen/kernel';
import { connectStatus } from '@lateen/nbd';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { o, processesOf, type RigNode, rigNode, writeTls } from '../block/instance-manager-rig.ts';

const MiB = 1024 * 1024;
const sizeBytes = BigInt(64 * MiB);
const testMs = 180_000;
const volumeUid = '6f1d6a1c-0000-4000-8000-000000000001';
const replica = 'pvc-1-r-0123abcd';

let directory = '';
let nodes: RigNode[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-im-'));
  await writeTls(directory);
  const tools = await blockTools();
  const [managerPort = 0] = await freePorts(1);
  nodes = [];
  for (const [index, name] of ['n1', 'n2'].entries())
    nodes.push(await rigNode({ tools, directory, name, address: `127.0.0.${index + 2}`, managerPort }));
}, testMs);
afterEach(async () => {
  for (const node of nodes) await node[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
}, testMs);

const node = (index: number): RigNode => {
  const found = nodes[index];
  if (found === undefined) throw new Error(`there is no node ${index}`);
  return found;
};
const wanted = (on: RigNode, parts: Partial<EnsureReplica> = {}): EnsureReplica => ({
  ...{ name: replica, volume: 'pvc-1', volumeUid, directory: join(on.disk, 'replicas', 'pvc-1-aaaa') },
  ...{ sizeBytes, generation: 1, mayCreate: true, rebuilding: false },
  ...parts,
});

/** Waits for the condition in the watch of the replica. */
async function until(on: RigNode, isSo: (instance: Instance | undefined) => boolean): Promise<Instance | undefined> {
  const late = clock.deadline(30_000);
  let latest: Instance | undefined;
  let synced = false;
  const heard = (event: InstanceEvent) => {
    if (event.type === 'changed' && event.instance.name === replica) latest = event.instance;
    if (event.type === 'gone' && event.instance.name === replica) latest = undefined;
    if (event.type === 'synced') synced = true;
  };
  for await (const event of on.host.watch({ signal: late })) {
    heard(event);
    if (synced && isSo(latest)) return latest;
  }
  throw new Error(`not in time; last: ${latest?.state}`);
}

async function sumOf(on: RigNode, of: string, layerAlone: boolean): Promise<string | undefined> {
  let latest: string | undefined;
  for await (const { sum } of on.host.snapshotSum({ replica: of, snapshot: 's-1', layerAlone }, o)) latest = sum;
  return latest;
}

/** Purges. Ignores the error while a reader is still being closed, so that the caller can try again. */
const purged = async (on: RigNode, of: { replica: string; volumeUid: string; generation: number }): Promise<void> => {
  try {
    for await (const _ of on.control.purge(of, o)) void _;
  } catch (error) {
    if (!String(error).includes('while a reader has it open')) throw error;
  }
};

const daemonOf = async () =>
  (await processesOf(directory)).find(({ command }) => /^\S*qemu-storage-daemon /.test(command));
const filled = (byte: number) => [Buffer.alloc(MiB, byte)];

describe('a replica of an instance manager', () => {
  it('serves while serve is killed and restarted, and is known to the next serve', { timeout: testMs }, async () => {
    const n1 = node(0);
    await n1.start();
    const started = await n1.host.ensureReplica(wanted(n1), o);
    expect(started).toMatchObject({ kind: 'replica', state: 'running', generation: 1, volume: 'pvc-1' });
    await using link = await n1.head({ volumeUid, replica, generation: 1 }, started.port ?? 0);
    let written = 0;
    let isWriting = true;
    const writing = (async () => {
      for (let at = 0; isWriting; at = (at + 1) % 32) {
        await link.write(BigInt(at * MiB), filled(at + 1));
        written++;
      }
    })();
    while (written < 20) await clock.sleep(5);
    await n1.kill();
    const before = written;
    await clock.sleep(300);
    expect(written).toBeGreaterThan(before);
    await n1.start();
    const found = await until(n1, (instance) => instance?.state === 'running');
    expect(found).toMatchObject({ uuid: started.uuid, port: started.port, replica: { promisedGeneration: 1 } });
    expect(await n1.host.ensureReplica(wanted(n1), o)).toMatchObject({ uuid: started.uuid });
    const later = written;
    while (written < later + 20) await clock.sleep(5);
    isWriting = false;
    await writing;
    expect(Buffer.concat(await link.read(BigInt(3 * MiB), MiB)).equals(Buffer.alloc(MiB, 4))).toBe(true);
    expect(await n1.host.stop({ kind: 'replica', name: replica, generation: 1 }, o)).toEqual({ clean: true });
    expect(await processesOf(n1.runtime)).toEqual([]);
    expect(await readdir(join(n1.runtime, 'r'))).toEqual([]);
    expect(await readdir(join(n1.runtime, 'instances'))).toEqual([]);
    // It was closed in order: no record is behind, and it serves the same generation again.
    expect(await n1.host.ensureReplica(wanted(n1, { mayCreate: false }), o)).toMatchObject({ state: 'running' });
  });

  it('whose daemon was killed is in error, no longer serves in its generation, and serves in the next one', {
    timeout: testMs,
  }, async () => {
    const n1 = node(0);
    await n1.start();
    await n1.host.ensureReplica(wanted(n1), o);
    process.kill((await daemonOf())?.pid ?? 0, 'SIGKILL');
    const failed = await until(n1, (instance) => instance?.state === 'error');
    expect(failed).toMatchObject({ error: { code: 'STORAGE_DAEMON_ENDED' }, replica: { killedGeneration: 1 } });
    await expect(n1.host.ensureReplica(wanted(n1), o)).rejects.toMatchObject({ code: 'REPLICA_LAGS' });
    await until(n1, (instance) => instance?.error?.code === 'REPLICA_LAGS');
    expect(await daemonOf()).toBeUndefined();
    const next = await n1.host.ensureReplica(wanted(n1, { generation: 2 }), o);
    expect(next).toMatchObject({
      state: 'running',
      generation: 2,
      replica: { promisedGeneration: 2, killedGeneration: 1 },
    });
    await n1.control.compared({ replica, volumeUid, generation: 2 }, o);
    await until(n1, (instance) => instance?.replica?.killedGeneration === undefined);
  });

  it('that was killed together with serve is reported by the next serve', { timeout: testMs }, async () => {
    const n1 = node(0);
    await n1.start();
    await n1.host.ensureReplica(wanted(n1), o);
    await n1.kill();
    process.kill((await daemonOf())?.pid ?? 0, 'SIGKILL');
    await n1.start();
    const failed = await until(n1, (instance) => instance?.state === 'error');
    expect(failed).toMatchObject({ generation: 1, replica: { killedGeneration: 1 } });
  });

  it('is fenced while it runs and while it does not run', { timeout: testMs }, async () => {
    const n1 = node(0);
    await n1.start();
    const { port = 0 } = await n1.host.ensureReplica(wanted(n1), o);
    await using link = await n1.head({ volumeUid, replica, generation: 1 }, port);
    await link.write(0n, filled(1));
    const { directory: folder } = wanted(n1);
    const promise = (generation: number) =>
      n1.host.promiseGeneration({ replica, volumeUid, directory: folder, generation }, o);
    expect(await promise(3)).toEqual({ promisedGeneration: 3 });
    await expect(link.write(0n, filled(2))).rejects.toMatchObject({ code: 'LINK_LOST' });
    await expect(n1.head({ volumeUid, replica, generation: 1 }, port)).rejects.toMatchObject({ code: 'LINK_REFUSED' });
    const old = { replica, volumeUid, generation: 1 };
    await expect(n1.control.layers(old, o)).rejects.toMatchObject({ code: 'GENERATION_OVER' });
    await expect(promise(2)).rejects.toMatchObject({ code: 'GENERATION_OVER' });
    await n1.host.stop({ kind: 'replica', name: replica, generation: 3 }, o);
    expect(await promise(4)).toEqual({ promisedGeneration: 4 });
    await expect(n1.host.ensureReplica(wanted(n1, { generation: 3 }), o)).rejects.toMatchObject({
      code: 'GENERATION_OVER',
    });
  });

  it('is rejected when one of its files was truncated, and can be rebuilt', { timeout: testMs }, async () => {
    const n1 = node(0);
    await n1.start();
    const started = await n1.host.ensureReplica(wanted(n1), o);
    const head = await n1.head({ volumeUid, replica, generation: 1 }, started.port ?? 0);
    await head.write(0n, filled(1));
    await head[Symbol.asyncDispose]();
    await n1.host.stop({ kind: 'replica', name: replica, generation: 1 }, o);
    const file = join(wanted(n1).directory, 'layer-0.qcow2');
    const { size } = await stat(file);
    await truncate(file, size - 4096);
    await expect(n1.host.ensureReplica(wanted(n1, { generation: 2 }), o)).rejects.toMatchObject({
      code: 'REPLICA_CORRUPT',
      message: expect.stringContaining(
        `layer-0.qcow2 was cut short: it has ${size - 4096} bytes on disk, and had ${size}`,
      ),
      nextStep: expect.stringContaining('rebuilt'),
    });
    await until(n1, (instance) => instance?.state === 'error' && instance.error?.code === 'REPLICA_CORRUPT');
    const again = wanted(n1, { generation: 2, rebuilding: true, mayCreate: false });
    expect(await n1.host.ensureReplica(again, o)).toMatchObject({ state: 'running' });
    await n1.control.beginRebuild({ replica, volumeUid, generation: 2, sizeBytes }, o);
    expect((await n1.host.ensureReplica(again, o)).replica?.recordState).toBe('rebuilding');
  });

  it('is not created without mayCreate, or where another one is, and is deleted only when it does not run', {
    timeout: testMs,
  }, async () => {
    const n1 = node(0);
    await n1.start();
    const folder = wanted(n1).directory;
    await expect(n1.host.ensureReplica(wanted(n1, { mayCreate: false }), o)).rejects.toMatchObject({
      code: 'REPLICA_GONE',
    });
    await n1.host.stop({ kind: 'replica', name: replica, generation: 9 }, o);
    await n1.host.ensureReplica(wanted(n1), o);
    const data = { replica, volumeUid, directory: folder };
    await expect(n1.host.deleteReplicaData(data, o)).rejects.toMatchObject({ code: 'INSTANCE_RUNNING' });
    const folders = [];
    for await (const one of n1.host.listReplicaFolders(n1.disk, o)) folders.push(one);
    expect(folders).toMatchObject([{ directory: 'pvc-1-aaaa', volume: 'pvc-1', volumeUid, replica }]);
    await n1.host.stop({ kind: 'replica', name: replica, generation: 9 }, o);
    await expect(n1.host.ensureReplica(wanted(n1, { volumeUid: 'another' }), o)).rejects.toMatchObject({
      code: 'REPLICA_FOREIGN',
    });
    await n1.host.stop({ kind: 'replica', name: replica, generation: 9 }, o);
    await expect(n1.host.deleteReplicaData({ ...data, volumeUid: 'another' }, o)).rejects.toMatchObject({
      code: 'REPLICA_FOREIGN',
    });
    await n1.host.deleteReplicaData(data, o);
    await expect(access(folder)).rejects.toMatchObject({ code: 'ENOENT' });
    await n1.host.deleteReplicaData(data, o);
  });
});

describe('the operations of an engine on replicas on two nodes', () => {
  it('snapshots, reads of them, a rebuild of the other replica layer by layer, and equal checksums at its end', {
    timeout: testMs,
  }, async () => {
    const [n1, n2] = [node(0), node(1)];
    await Promise.all([n1.start(), n2.start()]);
    const other = 'pvc-1-r-ffff0000';
    const { port = 0 } = await n1.host.ensureReplica(wanted(n1), o);
    await using link = await n1.head({ volumeUid, replica, generation: 1 }, port);
    const of = { replica, volumeUid, generation: 1 };
    const snapshot = (name: string) => ({
      ...of,
      snapshot: name,
      created: '2030-01-01T00:00:00Z',
      userCreated: true,
      labels: { a: 'b' },
    });
    for (const [n, name] of ['s-0', 's-1'].entries()) {
      await link.write(BigInt(n * MiB), filled(n + 1));
      await n1.control.prepareSnapshot(snapshot(name), o);
      await n1.control.snapshot(snapshot(name), o);
    }
    await link.write(BigInt(8 * MiB), filled(9));
    expect(await n1.control.layers(of, o)).toMatchObject({
      sizeBytes,
      headParent: 's-1',
      layers: [
        { name: 's-0', children: ['s-1'], volumeBytes: sizeBytes, labels: { a: 'b' } },
        { name: 's-1', parent: 's-0', children: ['volume-head'] },
      ],
    });
    const target = wanted(n2, { name: other, rebuilding: true });
    const rebuilt = await n2.host.ensureReplica(target, o);
    expect(rebuilt).toMatchObject({ state: 'running' });
    const to = { ...of, replica: other };
    await n2.control.beginRebuild({ ...to, sizeBytes }, o);
    await using head = await n2.head(to, rebuilt.port ?? 0);
    await head.write(BigInt(8 * MiB), filled(9));
    const copy = {
      ...to,
      sourceReplica: replica,
      sourceManager: `${n1.address}:${n1.managerPort}`,
      fast: true,
      copiesAtOnce: 1,
    };
    const steps = [];
    for await (const step of n2.control.copyLayers(copy, o)) steps.push(step.snapshot);
    expect(steps.at(-1)).toBe('s-1');
    await n2.control.attachLayers({ ...to, snapshot: 's-1' }, o);
    await using whole = await n2.head(to, rebuilt.port ?? 0);
    for (const [at, byte] of [
      [0, 1],
      [1, 2],
      [8, 9],
      [20, 0],
    ] as const)
      expect(Buffer.concat(await whole.read(BigInt(at * MiB), MiB)).equals(Buffer.alloc(MiB, byte))).toBe(true);
    const sums = async (layerAlone: boolean) => {
      const both = await Promise.all([sumOf(n1, replica, layerAlone), sumOf(n2, other, layerAlone)]);
      expect(both.every((sum) => /^[0-9a-f]{64}$/.test(sum ?? ''))).toBe(true);
      return both;
    };
    const [layer, sameLayer] = await sums(true);
    expect(layer).toBe(sameLayer);
    const [content, sameContent] = await sums(false);
    expect(content).toBe(sameContent);
    expect(content).not.toBe(layer);
    // A reader without a caller is closed; otherwise the merge below would wait for it.
    const leaves = new AbortController();
    const slow = { replica: other, snapshot: 's-1', layerAlone: false, bytesPerSecond: 1n };
    for await (const { sum } of n2.host.snapshotSum(slow, { signal: leaves.signal })) {
      expect(sum).toBeUndefined();
      break;
    }
    leaves.abort();
    await n2.control.markRemoved({ ...to, snapshot: 's-0' }, o);
    await expect
      .poll(
        async () => {
          await purged(n2, to);
          return (await n2.control.layers(to, o)).layers.map(({ name }) => name);
        },
        { timeout: 60_000 },
      )
      .toEqual(['s-1']);
    // One replica has merged and the other has not: their layers differ, their content does not.
    const [before, merged] = await sums(true);
    expect(before).not.toBe(merged);
    expect(await sums(false)).toEqual([content, content]);
    await n1.control.grow({ ...of, sizeBytes: sizeBytes * 2n }, o);
    await using grown = await n1.head(of, port);
    expect(grown.sizeBytes).toBe(sizeBytes * 2n);
  });
});

describe('readers of a snapshot of a replica', () => {
  it('allow a merge as soon as the last of them is done', { timeout: testMs }, async () => {
    const n1 = node(0);
    await n1.start();
    const { port = 0 } = await n1.host.ensureReplica(wanted(n1), o);
    const of = { replica, volumeUid, generation: 1 };
    await using link = await n1.head(of, port);
    for (const [n, snapshot] of ['s-0', 's-1'].entries()) {
      await link.write(BigInt(n * MiB), filled(n + 1));
      const request = { ...of, snapshot, created: '2030-01-01T00:00:00Z', userCreated: true, labels: {} };
      await n1.control.prepareSnapshot(request, o);
      await n1.control.snapshot(request, o);
    }
    const key = async () => exportKey(await readFile(join(directory, 'tls', 'tls.key'), 'utf8'));
    const connect = (at: number, exportName: string, signal: AbortSignal) =>
      connectStatus({ at: { host: n1.address, port: at }, exportName, clock, signal, contexts: ['base:allocation'] });
    const lease = { host: n1.host, connect, exportKey: key, clock, random, log: silentLogger };
    const wantedSnapshot = { replica, snapshot: 's-1', layerAlone: false };
    const [first, second] = [await openLeased(lease, wantedSnapshot, o), await openLeased(lease, wantedSnapshot, o)];
    expect(second.opened.export).toBe(first.opened.export);
    await n1.control.markRemoved({ ...of, snapshot: 's-0' }, o);
    const names = async () => (await n1.control.layers(of, o)).layers.map(({ name }) => name);
    await first.link[Symbol.asyncDispose]();
    await purged(n1, of);
    expect(await names()).toEqual(['s-0', 's-1']);
    const read = async () => Buffer.concat(await second.link.read(0n, 2 * MiB));
    expect((await read()).equals(Buffer.concat([...filled(1), ...filled(2)]))).toBe(true);
    await second.link[Symbol.asyncDispose]();
    // Once, and without waiting: a lease would have delayed it by up to a minute.
    for await (const _ of n1.control.purge(of, o)) void _;
    expect(await names()).toEqual(['s-1']);
  });
});

describe('the disks of a node', () => {
  it('are reported by the paths of the request, get an identity once, and keep it', {
    timeout: testMs,
  }, async () => {
    const n1 = node(0);
    await n1.start();
    const path = `${n1.disk}/`;
    expect(await n1.host.inspectDisk(path, o)).toMatchObject({ path, sparseFiles: true, directIo: true });
    await n1.host.registerDisk({ path, uuid: 'disk-1' }, o);
    await n1.host.registerDisk({ path, uuid: 'disk-1' }, o);
    await expect(n1.host.registerDisk({ path, uuid: 'disk-2' }, o)).rejects.toMatchObject({ code: 'DISK_FOREIGN' });
    const info = await n1.host.info(o);
    expect(info).toMatchObject({ node: 'n1', frontends: ['nbdfuse'], disks: [{ path, uuid: 'disk-1' }] });
    expect(info.probes.map(({ name }) => name)).toEqual([
      'mount-propagation',
      'packages',
      'kernel-modules',
      'multipathd',
    ]);
    expect(await n1.host.inspectDisk('/no/such/disk', o)).toMatchObject({ error: { code: 'DISK_IO' } });
    await expect(n1.host.inspectDisk('../etc', o)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});
