import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StatusLink } from '@lateen/block-engine';
import { blockTools } from '@lateen/cluster';
import { csi } from '@lateen/csi';
import { type DriverProcess, startDriver } from '@lateen/csi-rig';
import type { Random } from '@lateen/kernel';
import type { KubeObject } from '@lateen/kube';
import { type FakeCluster, fakeCluster, seededRandom, serveFakeCluster } from '@lateen/testing';
import { expect, it } from 'vitest';
import { o, type RigNode, rigNode, writeTls } from '../block/instance-manager-rig.ts';
import { definitionObjects, kubeconfigOf } from '../block/modelled-api.ts';

const MiB = 1024 * 1024;
const sizeBytes = 32 * MiB;
const clusterBytes = 65_536;
const testMs = 240_000;
const namespace = 'longhorn-system';
const of = { replica: 'pvc-1-r-0123abcd', volumeUid: '6f1d6a1c-0000-4000-8000-000000000001', generation: 1 };
/** The port at which the driver expects instance managers. */
const managerPort = 8500;

const longhorn = (kind: string, name: string, rest: object): KubeObject =>
  ({
    apiVersion: 'longhorn.io/v1beta2',
    kind,
    metadata: { name, namespace, labels: { longhornvolume: 'pvc-1' } },
    ...rest,
  }) as KubeObject;

/** One replica, served by a real storage daemon, and the content of its volume at each snapshot. */
class WrittenReplica {
  readonly contents = new Map<string, Buffer>();
  readonly #node: RigNode;
  readonly #cluster: FakeCluster;
  readonly #port: number;
  #link: StatusLink;
  #now = Buffer.alloc(sizeBytes);

  private constructor(node: RigNode, cluster: FakeCluster, port: number, link: StatusLink) {
    [this.#node, this.#cluster, this.#port, this.#link] = [node, cluster, port, link];
  }

  static async on(node: RigNode, cluster: FakeCluster): Promise<WrittenReplica> {
    const directory = join(node.disk, 'replicas', of.replica);
    const request = { name: of.replica, volume: 'pvc-1', volumeUid: of.volumeUid, directory, generation: 1 };
    const size = { sizeBytes: BigInt(sizeBytes), mayCreate: true, rebuilding: false };
    const { port = 0 } = await node.host.ensureReplica({ ...request, ...size }, o);
    const status = { currentState: 'running', ip: node.address, storageIP: node.address, port };
    const spec = { volumeName: 'pvc-1', healthyAt: '2030-01-01T00:00:00Z', failedAt: '' };
    cluster.put(longhorn('Volume', 'pvc-1', { spec: { size: `${sizeBytes}` } }));
    cluster.put(longhorn('Replica', of.replica, { spec, status }));
    return new WrittenReplica(node, cluster, port, await node.head(of, port));
  }

  async scribble(random: Random, count: number): Promise<void> {
    const below = (limit: number) => Math.floor(random.next() * limit);
    for (let done = 0; done < count; done++) {
      const at = below(sizeBytes / 512) * 512;
      const length = Math.min((1 + below(below(6) === 0 ? 900 : 30)) * 512, sizeBytes - at);
      const value = below(4) === 0 ? 0 : 1 + below(255);
      this.#now.fill(value, at, at + length);
      if (value === 0 && below(2) === 0) await this.#link.zero(BigInt(at), length, { unmap: true });
      else await this.#link.write(BigInt(at), [Buffer.alloc(length, value)]);
    }
    await this.#link.flush();
  }

  async snapshot(name: string): Promise<void> {
    const created = '2030-01-01T00:00:00Z';
    const request = { ...of, snapshot: name, userCreated: true, created, labels: {} };
    await this.#node.control.prepareSnapshot(request, o);
    await this.#node.control.snapshot(request, o);
    this.contents.set(name, Buffer.from(this.#now));
    const status = { readyToUse: true, restoreSize: sizeBytes, creationTime: created };
    this.#cluster.put(longhorn('Snapshot', name, { spec: { volume: 'pvc-1', createSnapshot: true }, status }));
  }

  async revert(name: string): Promise<void> {
    await this.#link[Symbol.asyncDispose]();
    await this.#node.control.revert({ ...of, snapshot: name }, o);
    this.#link = await this.#node.head(of, this.#port);
    this.#now = Buffer.from(this.contents.get(name) ?? Buffer.alloc(0));
  }

  async close(): Promise<void> {
    await this.#link[Symbol.asyncDispose]();
  }
}

const handle = (name: string) => `snap://pvc-1/${name}`;

async function tuplesOf(stream: AsyncIterable<csi.GetMetadataDeltaResponse>): Promise<csi.BlockMetadata[]> {
  const tuples: csi.BlockMetadata[] = [];
  for await (const message of stream) {
    expect(message.volumeCapacityBytes).toBe(BigInt(sizeBytes));
    expect(message.blockMetadataType).toBe(csi.BlockMetadataType.VARIABLE_LENGTH);
    tuples.push(...message.blockMetadata);
  }
  return tuples;
}

/** The result of copying these blocks, and nothing else, over `base`. */
function patched(base: Buffer, target: Buffer, tuples: readonly csi.BlockMetadata[]): Buffer {
  const result = Buffer.from(base);
  for (const { byteOffset, sizeBytes: length } of tuples)
    target.copy(result, Number(byteOffset), Number(byteOffset), Number(byteOffset + length));
  return result;
}

const allocated = (driver: DriverProcess, name: string, startingOffset = 0n) =>
  driver.snapshotMetadata.getMetadataAllocated(
    { snapshotId: handle(name), startingOffset, maxResults: 0, secrets: {} },
    o,
  );
const delta = (driver: DriverProcess, base: string, target: string, startingOffset = 0n) =>
  driver.snapshotMetadata.getMetadataDelta(
    { baseSnapshotId: handle(base), targetSnapshotId: handle(target), startingOffset, maxResults: 5, secrets: {} },
    o,
  );
const codeOf = (stream: AsyncIterable<unknown>): Promise<string> =>
  Array.fromAsync(stream).then(
    () => 'OK',
    (error: { code: string }) => error.code,
  );

/** The real driver and a real instance manager with its storage daemon; the API server is a model. */
async function world(
  test: (parts: { driver: DriverProcess; volume: WrittenReplica; cluster: FakeCluster }) => unknown,
) {
  await using undo = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'lateen-metadata-'));
  undo.defer(() => rm(directory, { recursive: true, force: true }));
  const tls = await writeTls(directory);
  const node = undo.use(
    await rigNode({ tools: await blockTools(), directory, name: 'n1', address: '127.0.0.2', managerPort }),
  );
  await node.start();
  const cluster = fakeCluster();
  cluster.put(...(await definitionObjects()));
  const served = await serveFakeCluster(cluster);
  undo.defer(() => served.close());
  const kubeconfig = join(directory, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigOf(served.url));
  const volume = await WrittenReplica.on(node, cluster);
  undo.defer(() => volume.close());
  const program = ['csi', '--mode', 'controller', '--kubeconfig', kubeconfig, '--certificate-directory', tls];
  const place = {
    directory,
    stateParent: directory,
    remountReadOnly: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
  const driver = undo.use(await startDriver(place, { nodeId: 'n1', program }));
  await test({ driver, volume, cluster });
}

it('lists everything that differs between any two snapshots of a replicated volume: applying the changes to the base gives the target', {
  timeout: testMs,
}, async () => {
  await world(async ({ driver, volume }) => {
    const type = csi.PluginCapability_Service_Type.SNAPSHOT_METADATA_SERVICE;
    const { capabilities } = await driver.identity.getPluginCapabilities({}, o);
    expect(capabilities).toContainEqual(expect.objectContaining({ service: { type } }));
    const random = seededRandom(11);
    for (const [name, count] of [
      ['s1', 30],
      ['s2', 6],
      ['s3', 6],
    ] as const) {
      await volume.scribble(random, count);
      await volume.snapshot(name);
    }
    // A branch: s4 has parent s1, like s2.
    await volume.revert('s1');
    await volume.scribble(random, 6);
    await volume.snapshot('s4');
    for (const [target, content] of volume.contents) {
      const all = await tuplesOf(allocated(driver, target));
      expect(patched(Buffer.alloc(sizeBytes), content, all).equals(content)).toBe(true);
      for (const [base, before] of volume.contents) {
        const changed = await tuplesOf(delta(driver, base, target));
        expect(patched(before, content, changed).equals(content)).toBe(true);
        expect(changed.every(({ byteOffset }) => byteOffset % BigInt(clusterBytes) === 0n)).toBe(true);
        if (base === target) expect(changed).toEqual([]);
        else expect(changed.length).toBeGreaterThan(0);
        const from = changed[Math.floor(changed.length / 2)]?.byteOffset ?? 0n;
        const rest = await tuplesOf(delta(driver, base, target, from));
        expect(rest).toEqual(changed.filter(({ byteOffset }) => byteOffset >= from));
      }
    }
    expect(await driver.stop()).toBe(0);
  });
});

it('returns an error with the cause when blocks cannot be listed', { timeout: testMs }, async () => {
  await world(async ({ driver, volume, cluster }) => {
    await volume.scribble(seededRandom(3), 5);
    await volume.snapshot('s1');
    cluster.put(longhorn('Volume', 'pvc-2', { spec: { size: `${sizeBytes}` } }));
    expect(await codeOf(allocated(driver, 's1'))).toBe('OK');
    expect(await codeOf(allocated(driver, 'nobody'))).toBe('NOT_FOUND');
    expect(await codeOf(allocated(driver, 's1', BigInt(sizeBytes) + 1n))).toBe('OUT_OF_RANGE');
    expect(await codeOf(delta(driver, 'nobody', 's1'))).toBe('NOT_FOUND');
    const ofNobody = { snapshotId: 'snap://pvc-9/s1', startingOffset: 0n, maxResults: 0, secrets: {} };
    expect(await codeOf(driver.snapshotMetadata.getMetadataAllocated(ofNobody, o))).toBe('NOT_FOUND');
    // The volume is detached, so its replica does not run.
    cluster.put(
      longhorn('Replica', of.replica, {
        spec: { volumeName: 'pvc-1', healthyAt: '2030-01-01T00:00:00Z' },
        status: { currentState: 'stopped' },
      }),
    );
    expect(await codeOf(allocated(driver, 's1'))).toBe('FAILED_PRECONDITION');
  });
});
