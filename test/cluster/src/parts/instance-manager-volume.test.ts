import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Instance } from '@lateen/block-engine';
import { childRunner } from '@lateen/child-process';
import { systemClock as clock, parseMountInfo, silentLogger } from '@lateen/kernel';
import { qemuImg } from '@lateen/qemu-storage';
import { hostCommands, listLoops, nodeFiles } from '@lateen/volume';
import { execa } from 'execa';
import { afterEach, describe, expect, it } from 'vitest';
import { never, processesOf, type RigNode } from '../block/instance-manager-rig.ts';
import { type ManagedVolume, managedVolume, volume } from '../block/instance-manager-volume.ts';

const MiB = 1024 * 1024;
const testMs = 240_000;
const isRoot = process.getuid?.() === 0;
const machine = { run: hostCommands({ clock, environment: process.env }), files: nodeFiles, log: silentLogger, clock };

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

/** Writes at random places and reads all of it back: each block carries its own checksum. */
function fioVerify({ tools, directory }: ManagedVolume, device: string, sizeBytes: number, loops = 1) {
  const job = ['--name=x', `--filename=${device}`, '--rw=randwrite', '--bs=4k', '--iodepth=16', `--loops=${loops}`];
  const io = ['--ioengine=libaio', '--direct=1', `--size=${sizeBytes}`];
  const verify = ['--verify=crc32c', '--do_verify=1', '--verify_fatal=1', '--verify_state_save=0'];
  return execa(tools.fio, [...job, ...io, ...verify], { cwd: directory });
}

const engineOf = async (node: RigNode) =>
  (await processesOf(node.runtime)).find(({ command }) => command.includes(' engine --config'))?.pid ?? 0;

async function engineUntil(node: RigNode, isSo: (engine: Instance) => boolean): Promise<Instance> {
  let last: Instance | undefined;
  for await (const event of node.host.watch({ signal: clock.deadline(60_000) })) {
    if (event.type !== 'changed' || event.instance.kind !== 'engine') continue;
    last = event.instance;
    if (isSo(last)) return last;
  }
  throw new Error(`not in time: ${last?.state}`);
}

/** What is left of the volume in the kernel, among the processes and on the nodes. */
async function leftovers({ directory, nodes }: ManagedVolume): Promise<string[]> {
  const loops = (await listLoops(machine, never)).filter(({ backingFile }) => backingFile.startsWith(directory));
  const mounts = parseMountInfo(await readFile('/proc/self/mountinfo', 'utf8')).filter(({ mountPoint }) =>
    mountPoint.startsWith(directory),
  );
  const processes = (await processesOf(directory)).filter(({ command }) => !command.includes(' serve '));
  const files = await Promise.all(
    nodes.flatMap(({ runtime, devices }) =>
      [join(runtime, 'r'), join(runtime, 'e'), join(runtime, 'fronts'), join(runtime, 'processes'), devices].map(
        async (at) => (await readdir(at).catch(() => [])).map((name) => join(at, name)),
      ),
    ),
  );
  const paths = [...loops.map(({ path }) => path), ...mounts.map(({ mountPoint }) => mountPoint)];
  return [...paths, ...processes.map(({ command }) => command), ...files.flat()];
}

async function detach({ stop, nodes }: ManagedVolume, generation: number, replicas: Readonly<Record<string, number>>) {
  await stop(nodes[0], 'frontend', volume.engine, generation);
  const { clean } = await stop(nodes[0], 'engine', volume.engine, generation);
  for (const [name, at] of Object.entries(replicas)) await stop(nodes[at] ?? nodes[0], 'replica', name, generation);
  return clean;
}

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

describe.skipIf(!isRoot)('a volume on two instance managers', () => {
  it('has a device that does not notice when serve is killed, and leaves nothing when it is taken off', {
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
});
