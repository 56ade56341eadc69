import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { childRunner } from '@lateen/child-process';
import { systemClock as clock } from '@lateen/kernel';
import { qemuImg } from '@lateen/qemu-storage';
import { engineType } from '@lateen/storage-types';
import { execa } from 'execa';
import { afterEach, describe, expect, it } from 'vitest';
import { o, processesOf, type RigNode } from '../block/instance-manager-rig.ts';
import { detach, engineUntil, type ManagedVolume, managedVolume, volume } from '../block/instance-manager-volume.ts';
import { leftovers } from '../block/managed-leftovers.ts';

const MiB = 1024 * 1024;
const testMs = 240_000;
const isRoot = process.getuid?.() === 0;

let world: ManagedVolume | undefined;
const started = async (replicas: readonly string[]): Promise<ManagedVolume> => {
  world = await managedVolume(replicas);
  await Promise.all(world.nodes.map((node) => node.start()));
  return world;
};
afterEach(async () => {
  await world?.[Symbol.asyncDispose]();
  world = undefined;
}, testMs);

/** Writes at random places and reads all of it back: each block has its own checksum. */
function fioVerify({ tools, directory }: ManagedVolume, device: string, sizeBytes: number, loops = 1) {
  const job = ['--name=x', `--filename=${device}`, '--rw=randwrite', '--bs=4k', '--iodepth=16', `--loops=${loops}`];
  const io = ['--ioengine=libaio', '--direct=1', `--size=${sizeBytes}`];
  const verify = ['--verify=crc32c', '--do_verify=1', '--verify_fatal=1', '--verify_state_save=0'];
  return execa(tools.fio, [...job, ...io, ...verify], { cwd: directory });
}

const daemonOf = async (node: RigNode) =>
  (await processesOf(node.runtime)).find(({ command }) => /^\S*qemu-storage-daemon /.test(command))?.pid ?? 0;
const engineOf = async (node: RigNode) =>
  (await processesOf(node.runtime)).find(({ command }) => command.includes(' engine --config'))?.pid ?? 0;

async function areEqual({ tools, nodes }: ManagedVolume, replicas: Readonly<Record<string, number>>): Promise<void> {
  const image = qemuImg(childRunner({ program: tools.qemuImg, clock, graceMs: 5_000 }));
  const heads = await Promise.all(
    Object.entries(replicas).map(async ([name, at]) => {
      const folder = join((nodes[at] ?? nodes[0]).disk, 'replicas', name);
      const record = JSON.parse(await readFile(join(folder, 'replica.json'), 'utf8'));
      return join(folder, record.layers.find(({ id }: { id: number }) => id === record.head).file);
    }),
  );
  const [first = '', ...others] = heads;
  for (const other of others) expect(await image.compare(first, other)).toMatchObject({ equal: true });
}

/** Rebuilds a replica on the second node from `r-a`, as a manager requests it. Returns the progress messages. */
async function rebuilt({ nodes: [n1, n2], cluster, ensureReplica }: ManagedVolume, name: string): Promise<string[]> {
  const replica = await ensureReplica(n2, name, { generation: 1, rebuilding: true });
  const body = { status: { replicaModeMap: { [name]: 'WO' as const } } };
  await cluster.patch(engineType, { namespace: volume.namespace, name: volume.engine }, { type: 'merge', body });
  const place = ({ address, managerPort }: RigNode) => `${address}:${managerPort}`;
  const managers = { 'r-a': place(n1), [name]: place(n2) };
  const steps: string[] = [];
  const add = { engine: volume.engine, generation: 1, replica, managers, fast: true, copiesAtOnce: 1 };
  for await (const { step, error } of n1.host.engineAddReplica(add, o))
    steps.push(error === undefined ? step : `${step}: ${error.message}`);
  return steps;
}

async function purged({ host }: RigNode): Promise<'all'> {
  for await (const { error } of host.enginePurge({ engine: volume.engine, generation: 1 }, o))
    expect(error).toBeUndefined();
  return 'all';
}

describe.skipIf(!isRoot)('a volume on two instance managers', () => {
  it('has a device that is not affected when serve is killed, and leaves nothing when it is detached', {
    timeout: testMs,
  }, async () => {
    const replicas = { 'r-a': 0, 'r-b': 1 };
    const managed = await started(['r-a', 'r-b']);
    const [n1] = managed.nodes;
    const device = await managed.attach(1, replicas);
    expect(device).toBe(join(n1.devices, volume.name));
    expect((await lstat(device)).isSymbolicLink()).toBe(true);
    const writing = fioVerify(managed, device, 8 * MiB, 3);
    const [before, beganMs] = [await engineOf(n1), clock.monotonicMs()];
    while (clock.monotonicMs() - beganMs < 1_000) await clock.sleep(50);
    await Promise.all(managed.nodes.map((node) => node.kill()));
    await clock.sleep(500);
    await Promise.all(managed.nodes.map((node) => node.start()));
    expect(await engineUntil(n1, ({ state }) => state === 'running')).toMatchObject({
      engine: { modes: { 'r-a': 'RW', 'r-b': 'RW' } },
    });
    expect(await engineOf(n1)).toBe(before);
    expect((await managed.frontend(1)).endpoint).toBe(device);
    expect((await writing).exitCode).toBe(0);
    expect(await detach(managed, 1, replicas)).toBe(true);
    expect(await leftovers(managed)).toEqual([]);
    await areEqual(managed, replicas);
  });

  it('continues without a replica whose daemon was killed, and with one that is rebuilt during writes', {
    timeout: testMs,
  }, async () => {
    const managed = await started(['r-a', 'r-b', 'r-c']);
    const [n1, n2] = managed.nodes;
    const device = await managed.attach(1, { 'r-a': 0, 'r-b': 1 });
    const mountPoint = join(managed.directory, 'data');
    await mkdir(mountPoint);
    await execa('mkfs.xfs', ['-q', '-f', device]);
    await execa('mount', [device, mountPoint]);
    try {
      const files = Array.from(
        { length: 24 },
        (_, n) => [join(mountPoint, `f${n}`), Buffer.alloc(MiB + n, `${n} `)] as const,
      );
      const writing = Promise.all(files.map(([path, bytes]) => writeFile(path, bytes)));
      process.kill(await daemonOf(n2), 'SIGKILL');
      await writing;
      await execa('sync', ['-f', mountPoint]);
      expect(await managed.modes()).toEqual({ 'r-a': 'RW', 'r-b': 'ERR' });
      await expect.poll(() => managed.failedAt('r-b'), { timeout: 20_000 }).toMatch(/^\d{4}-/);
      const snapshot = {
        engine: volume.engine,
        generation: 1,
        snapshot: 's-1',
        userCreated: true,
        created: '2030-01-01T00:00:00Z',
        labels: {},
      };
      expect(await n1.host.engineSnapshot({ ...snapshot, freeze: true }, o)).toEqual({ replicas: ['r-a'] });
      await managed.stop(n2, 'replica', 'r-b', 1);
      const steps = await rebuilt(managed, 'r-c');
      expect(await engineUntil(n1, ({ engine }) => engine?.modes['r-c'] === 'RW'), steps.join()).toBeDefined();
      await Promise.all(files.map(([path, bytes]) => writeFile(`${path}-later`, bytes)));
      for (const [path, bytes] of files) expect((await readFile(path)).equals(bytes)).toBe(true);
      await execa(
        'rm',
        files.map(([path]) => path),
      );
      await execa('sync', ['-f', mountPoint]);
      expect((await n1.host.engineTrim({ engine: volume.engine, generation: 1 }, o)).freedBytes).toBeGreaterThan(0n);
    } finally {
      await execa('umount', [mountPoint]);
    }
    expect(await detach(managed, 1, { 'r-a': 0, 'r-c': 1 })).toBe(true);
    expect(await leftovers(managed)).toEqual([]);
    await areEqual(managed, { 'r-a': 0, 'r-c': 1 });
  });

  it('uses the room of two layers after ten rebuilds, with all its data', { timeout: 3 * testMs }, async () => {
    const names = Array.from({ length: 10 }, (_, n) => `r-${n}`);
    const managed = await started(['r-a', 'r-b', ...names]);
    const [n1, n2] = managed.nodes;
    const device = await managed.attach(1, { 'r-a': 0, 'r-b': 1 });
    const folder = (node: RigNode, name: string) => join(node.disk, 'replicas', name);
    const takenBytes = async (node: RigNode, name: string) =>
      Number((await execa('du', ['-s', '-B1', folder(node, name)])).stdout.split('\t')[0]);
    const data = join(managed.directory, 'data');
    let last = 'r-b';
    for (const name of names) {
      await writeFile(data, randomBytes(8 * MiB));
      await execa('dd', [`if=${data}`, `of=${device}`, 'bs=1M', 'oflag=direct', 'conv=notrunc,fsync']);
      const drop = {
        engine: volume.engine,
        generation: 1,
        replica: last,
        cause: 'deleted',
        message: 'it goes',
      } as const;
      await n1.host.engineDropReplica(drop, o);
      await managed.stop(n2, 'replica', last, 1);
      const steps = await rebuilt(managed, name);
      await engineUntil(n1, ({ engine }) => engine?.modes[name] === 'RW').catch((error: unknown) => {
        throw new Error(steps.join(), { cause: error });
      });
      last = name;
      // A layer counts as being read for a minute after it was copied: a purge that has to leave some reports that, and is repeated.
      await purged(n1).catch((error: unknown) => expect(error).toMatchObject({ code: 'NOT_POSSIBLE_NOW' }));
    }
    await expect.poll(() => purged(n1).catch(String), { timeout: testMs, interval: 5_000 }).toBe('all');
    // At most two layers: the frozen one, and what was written since.
    for (const [node, name] of [
      [n1, 'r-a'],
      [n2, last],
    ] as const)
      expect(await takenBytes(node, name)).toBeLessThan(3 * 8 * MiB);
    const snapshots = (await engineUntil(n1, () => true)).engine?.snapshots ?? [];
    expect(snapshots.map(({ userCreated, removed }) => [userCreated, removed])).toEqual([
      [false, true],
      [false, false],
    ]);
    const { stdout } = await execa('dd', [`if=${device}`, 'bs=1M', 'count=8', 'iflag=direct'], { encoding: 'buffer' });
    expect(Buffer.from(stdout).equals(await readFile(data))).toBe(true);
    expect(await detach(managed, 1, { 'r-a': 0, [last]: 1 })).toBe(true);
    await areEqual(managed, { 'r-a': 0, [last]: 1 });
  });

  it('whose engine was killed cannot be started in the same generation, and has its data in the next', {
    timeout: testMs,
  }, async () => {
    const replicas = { 'r-a': 0, 'r-b': 1 };
    const managed = await started(['r-a', 'r-b']);
    const [n1, n2] = managed.nodes;
    const device = await managed.attach(1, replicas);
    const pattern = Buffer.alloc(MiB, 'lateen ');
    await writeFile(join(managed.directory, 'pattern'), pattern);
    await execa('dd', [
      `if=${join(managed.directory, 'pattern')}`,
      `of=${device}`,
      'bs=1M',
      'seek=100',
      'oflag=direct',
      'conv=fsync',
    ]);
    const writing = fioVerify(managed, device, 8 * MiB, 60).then(
      () => undefined,
      (error: unknown) => error,
    );
    await clock.sleep(1_000);
    process.kill(await engineOf(n1), 'SIGKILL');
    expect(await writing).toBeDefined();
    expect(await engineUntil(n1, ({ state }) => state === 'error')).toMatchObject({ error: { code: 'ENGINE_ENDED' } });
    const address = (name: string, node: RigNode) => managed.ensureReplica(node, name, { generation: 1 });
    const again = managed.engineRequest(1, [await address('r-a', n1), await address('r-b', n2)]);
    await expect(n1.host.ensureEngine(again, o)).rejects.toMatchObject({ code: 'GENERATION_OVER' });
    await managed.stop(n1, 'frontend', volume.engine, 1);
    await managed.raise(2);
    const next = await managed.attach(2, replicas, { compareHeads: true, readPrimary: 'r-a' });
    const { stdout } = await execa('dd', [`if=${next}`, 'bs=1M', 'skip=100', 'count=1', 'iflag=direct'], {
      encoding: 'buffer',
    });
    expect(Buffer.from(stdout).equals(pattern)).toBe(true);
    await fioVerify(managed, next, 4 * MiB);
    await engineUntil(
      n1,
      ({ engine, generation, state }) =>
        generation === 2 && state === 'running' && engine !== undefined && engine.readPrimary === undefined,
    );
    expect(await detach(managed, 2, replicas)).toBe(true);
    expect(await leftovers(managed)).toEqual([]);
    await areEqual(managed, replicas);
  });
});
