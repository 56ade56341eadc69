import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blockTools } from '@lateen/cluster';
import { command } from '@lateen/csi-rig';
import type { BenchRow } from '../bench-row.ts';
import { figure, type Load, loads } from '../storage-nbd/loads.ts';
import { cpuOf } from './cpu-of-writes.ts';
import {
  type DeviceLoadParts,
  fillDevice,
  loadInTurns,
  loopOn,
  present,
  type Rate,
  type Rates,
} from './device-loads.ts';
import { startReplicatedVolume } from './replicated-volume.ts';

const sizeBytes = 512 * 1024 * 1024;
/** Percent of a plain loop device, with two replicas. */
const targets: Readonly<Record<Load['fio'], number>> = { read: 25, write: 25, randread: 15, randwrite: 15 };

/**
 * The data path of a replicated volume as a pod has it (replicas in storage daemons, one over a unix socket and one over TCP; the engine in
 * a separate process; nbdfuse and a loop device), compared with a loop device on a plain file, alternating; then the cost of a random
 * request in each of its processes; then the first again with one failed replica. Needs root.
 */
export async function benchStorageData(o: Omit<DeviceLoadParts, 'tools'>): Promise<BenchRow[]> {
  await using undo = new AsyncDisposableStack();
  const tools = await blockTools();
  const parts = { ...o, tools };
  const directory = await mkdtemp(join(tmpdir(), 'lateen-bench-data-'));
  undo.defer(() => rm(directory, { recursive: true }));
  const plain = join(directory, 'plain');
  await command('truncate', '--size', `${sizeBytes}`, plain);
  const loop = await loopOn(plain, undo);
  const volume = await startReplicatedVolume({ tools, directory, sizeBytes, clock: o.clock }, undo);
  for (const device of [loop, volume.device]) await fillDevice(device, parts);
  const devices = { loop: present(loop), volume: present(volume.device) };
  const healthy = await loadInTurns('two replicas', devices, parts);
  const costs: BenchRow[] = [];
  for (const load of loads.filter(({ fio }) => fio.startsWith('rand'))) costs.push(await cpuOf(load, volume, parts));
  await volume.killOther();
  const alone = await loadInTurns('one of two dead', devices, parts);
  return [
    ...rowsOf('two replicas', healthy, () => undefined),
    ...rowsOf('one of two dead', alone, (load) => healthy.get(load)),
    ...costs,
  ];
}

/** Figures of a loop device; `before`: the reference when one replica has failed. */
function rowsOf(title: string, rates: Rates, before: (load: Load) => Rate | undefined): BenchRow[] {
  return [...rates].map(([load, { loop, volume, percent: value }]) => {
    const target = before(load)?.percent ?? targets[load.fio];
    const of = `${Math.round(figure(load, volume))} of ${Math.round(figure(load, loop))} ${load.unit}`;
    return {
      name: `replicated volume, ${title}, ${load.title}`,
      ...{ value, unit: '% of a loop device', target: `at least ${target} %`, reached: value >= target },
      note: of,
    };
  });
}
