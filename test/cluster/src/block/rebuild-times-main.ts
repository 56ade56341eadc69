/**
 * Measures rebuilds during writes: `rebuild-times-main.ts <runs> <requests under way> [flag of Node] <instance manager>`. Uses a volume of
 * 2 GiB with 600 MB of data on two instance managers; one replica is dropped and another one is rebuilt. Each run has a new volume, because
 * a rebuild takes a snapshot, and until that is purged the next rebuild has more to copy. Prints one line of JSON for each rebuild.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { systemClock as clock, durationText } from '@lateen/kernel';
import { engineType } from '@lateen/storage-types';
import { execa } from 'execa';
import { o, type RigNode } from './instance-manager-rig.ts';
import { type ManagedVolume, managedVolume, volume } from './instance-manager-volume.ts';

const bytes = 2 * 1024 ** 3;
const usedBytes = 600e6;
const healthyMsMax = 120_000;
const [runs = '1', depth = '1', ...program] = process.argv.slice(2);
const engine = { engine: volume.engine, generation: 1 };

const fioOf = (device: string, rw: string): string[] => [
  ...['--name=x', '--ioengine=libaio', '--direct=1', `--filename=${device}`, `--rw=${rw}`, `--size=${usedBytes}`],
];

/** Time from the request for the new replica until the engine reads from it. */
async function rebuild({ nodes, cluster, ensureReplica, modes }: ManagedVolume, name: string): Promise<number> {
  const [n1, n2] = nodes;
  const beganMs = clock.monotonicMs();
  const replica = await ensureReplica(n2, name, { generation: 1, rebuilding: true });
  const body = { status: { replicaModeMap: { [name]: 'WO' as const } } };
  await cluster.patch(engineType, { namespace: volume.namespace, name: volume.engine }, { type: 'merge', body });
  const place = ({ address, managerPort }: RigNode) => `${address}:${managerPort}`;
  const managers = { 'r-a': place(n1), [name]: place(n2) };
  for await (const { error } of n1.host.engineAddReplica(
    { ...engine, replica, managers, fast: true, copiesAtOnce: 5 },
    o,
  ))
    if (error !== undefined) throw new Error(`the rebuild failed: ${error.message}`);
  const endMs = clock.monotonicMs() + healthyMsMax;
  while ((await modes())[name] !== 'RW') {
    if (clock.monotonicMs() > endMs) throw new Error(`${name} is not healthy after ${durationText(healthyMsMax)}`);
    await clock.sleep(10);
  }
  return clock.monotonicMs() - beganMs;
}

/** Writes 4 KiB at random places of the used area until it is stopped; returns writes per second. */
function writer({ tools }: ManagedVolume, device: string): () => Promise<number> {
  const io = [...fioOf(device, 'randwrite'), '--bs=4k', `--iodepth=${depth}`, '--time_based', '--runtime=1h'];
  const fio = spawn(tools.fio, [...io, '--output-format=json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  fio.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return async () => {
    const exit = once(fio, 'close');
    fio.kill('SIGINT');
    await exit;
    return JSON.parse(said.slice(said.indexOf('{'))).jobs[0].write.iops;
  };
}

async function oneRebuild(): Promise<void> {
  await using managed = await managedVolume(['r-a', 'r-b', 'r-c'], { bytes, program });
  const [n1, n2] = managed.nodes;
  await Promise.all(managed.nodes.map((node) => node.start()));
  const device = await managed.attach(1, { 'r-a': 0, 'r-b': 1 });
  await execa(managed.tools.fio, [...fioOf(device, 'write'), '--bs=1M', '--iodepth=8', '--end_fsync=1']);
  await n1.host.engineDropReplica({ ...engine, replica: 'r-b', cause: 'deleted', message: 'it goes' }, o);
  await managed.stop(n2, 'replica', 'r-b', 1);
  const ended = writer(managed, device);
  await clock.sleep(1_000);
  const ms = await rebuild(managed, 'r-c');
  process.stdout.write(`${JSON.stringify({ ms, writesPerSecond: await ended() })}\n`);
  await managed.stop(n1, 'frontend', volume.engine, 1);
  await managed.stop(n1, 'engine', volume.engine, 1);
}

for (let run = 0; run < Number(runs); run++) await oneRebuild();
