import { readFile } from 'node:fs/promises';
import type { BenchRow } from '../bench-row.ts';
import { processCpuMs } from '../measured-group.ts';
import { figure, type Load } from '../storage-nbd/loads.ts';
import { type DeviceLoadParts, loadDevice } from './device-loads.ts';
import type { ReplicatedVolume } from './replicated-volume.ts';

/** Each of one second: CPU is counted in steps of 10 ms. */
const rounds = 5;

/** What one request costs, process by process, and what the whole machine did meanwhile: its kernel threads, fio and whatever else ran. */
export async function cpuOf(load: Load, volume: ReplicatedVolume, parts: DeviceLoadParts): Promise<BenchRow> {
  const before = await cpuNow(volume.pids);
  let requests = 0;
  for (let round = 0; round < rounds; round++) {
    parts.signal.throwIfAborted();
    requests += await loadDevice(load, volume.device, parts);
  }
  const after = await cpuNow(volume.pids);
  const each = (name: string) => (((after.get(name) ?? 0) - (before.get(name) ?? 0)) * 1_000) / requests;
  const named = [...volume.pids.keys()].map((name) => `${name} ${Math.round(each(name))}`);
  const others = each(machine) - [...volume.pids.keys()].reduce((sum, name) => sum + each(name), 0);
  return {
    name: `replicated volume, two replicas, ${load.title}: CPU of one request`,
    value: each(machine),
    unit: 'µs',
    note: `${named.join(', ')}, the kernel's threads and fio ${Math.round(others)}; at ${Math.round(figure(load, requests / rounds))} ${load.unit}`,
  };
}

const machine = 'the machine';

async function cpuNow(pids: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>> {
  const now = new Map([[machine, await machineCpuMs()]]);
  for (const [name, pid] of pids) now.set(name, await processCpuMs(pid));
  return now;
}

/** Of all processors, whatever they did but wait: fields 1 to 3, 6 and 7 of the first line of proc(5), /proc/stat. */
async function machineCpuMs(): Promise<number> {
  const [line = ''] = (await readFile('/proc/stat', 'utf8')).split('\n');
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0] = line.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + softIrq) * 10;
}
