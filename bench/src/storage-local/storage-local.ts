import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blockTools } from '@lateen/cluster';
import { command } from '@lateen/csi-rig';
import { InFlight } from '@lateen/grpc';
import { silentLogger } from '@lateen/kernel';
import { hostCommands, type LocalEngineDeps, localBlockEngine, nodeFiles, openVolumes } from '@lateen/volume';
import type { BenchRow } from '../bench-row.ts';
import {
  type DeviceLoadParts,
  fillDevice,
  loadInTurns,
  loopOn,
  type Rate,
  type WithDevice,
} from '../storage-data/device-loads.ts';
import { figure, type Load } from '../storage-nbd/loads.ts';

const sizeBytes = 512 * 1024 * 1024;
const target = 95;
const node = 'node-1';
const volume = 'bench';

/**
 * A volume of the engine `local`, as its `attach` creates it, compared with a loop device that `losetup` creates on the same file,
 * alternating: a file never has both at once. Needs root.
 */
export async function benchStorageLocal(o: Omit<DeviceLoadParts, 'tools'>): Promise<BenchRow[]> {
  await using undo = new AsyncDisposableStack();
  const parts = { ...o, tools: await blockTools() };
  const { clock, signal } = o;
  const stateDirectory = await mkdtemp(join(tmpdir(), 'lateen-bench-local-'));
  undo.defer(() => rm(stateDirectory, { recursive: true }));
  const host = { run: hostCommands({ clock, environment: process.env }), files: nodeFiles, log: silentLogger, clock };
  const deps: LocalEngineDeps = {
    ...(await openVolumes({ stateDirectory, nodeId: node, host }, signal)),
    inFlight: new InFlight(),
  };
  const engine = localBlockEngine(deps);
  await engine.create({ name: volume, sizeBytes: BigInt(sizeBytes) }, { signal });
  const by = { signal, by: 'bench' };
  const attached = async <T>(act: (device: string) => Promise<T>): Promise<T> => {
    const { devicePath } = await engine.attach(volume, node, by);
    try {
      return await act(devicePath);
    } finally {
      await engine.detach(volume, node, by);
    }
  };
  const file = await attached(async (device) => {
    await fillDevice(device, parts);
    return (await command('losetup', '--noheadings', '--output', 'BACK-FILE', device)).trim();
  });
  const looped: WithDevice = async (act) => {
    await using detach = new AsyncDisposableStack();
    return await act(await loopOn(file, detach));
  };
  return [...(await loadInTurns('local volume', { loop: looped, volume: attached }, parts))].map(rowOf);
}

function rowOf([load, { loop, volume, percent: value }]: [Load, Rate]): BenchRow {
  return {
    name: `local volume, ${load.title}`,
    ...{ value, unit: '% of a loop device', target: `at least ${target} %`, reached: value >= target },
    note: `${Math.round(figure(load, volume))} of ${Math.round(figure(load, loop))} ${load.unit}`,
  };
}
