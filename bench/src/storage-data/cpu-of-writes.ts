import type { BenchRow } from '../bench-row.ts';
import { processCpuMs } from '../measured-group.ts';
import { figure, type Load } from '../storage-nbd/loads.ts';
import { type DeviceLoadParts, loadDevice } from './device-loads.ts';
import type { ReplicatedVolume } from './replicated-volume.ts';

/** Each takes a second: CPU is counted in steps of 10 ms. */
const rounds = 5;

/** The CPU time of one request in each process of the data path. Threads of the kernel and fio are not included. */
export async function cpuOf(load: Load, volume: ReplicatedVolume, parts: DeviceLoadParts): Promise<BenchRow> {
  const before = await cpuNow(volume.pids);
  let requests = 0;
  for (let round = 0; round < rounds; round++) {
    parts.signal.throwIfAborted();
    requests += await loadDevice(load, volume.device, parts);
  }
  const after = await cpuNow(volume.pids);
  const each = (name: string) => (((after.get(name) ?? 0) - (before.get(name) ?? 0)) * 1_000) / requests;
  const names = [...volume.pids.keys()];
  return {
    name: `replicated volume, two replicas, ${load.title}: CPU of one request`,
    value: names.reduce((sum, name) => sum + each(name), 0),
    unit: 'µs',
    note: `${names.map((name) => `${name} ${Math.round(each(name))}`).join(', ')}; at ${Math.round(figure(load, requests / rounds))} ${load.unit}`,
  };
}

async function cpuNow(pids: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>> {
  const now = new Map<string, number>();
  for (const [name, pid] of pids) now.set(name, await processCpuMs(pid));
  return now;
}
