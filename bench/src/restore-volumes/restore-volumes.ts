import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command, makeScratch } from '@lateen/csi-rig';
import type { Clock } from '@lateen/kernel';
import { type StoreFigures, spawnDistantStore } from '@lateen/store-rig';
import type { BenchRow } from '../bench-row.ts';
import { benchDevices } from '../block/used-device.ts';
import { measuredGroup, processCpuMs } from '../measured-group.ts';
import { type Dataset, datasetNames, datasetOf } from './datasets.ts';
import { type MadeRepository, makeRepository } from './made-repository.ts';
import { bundleMover, type MoverBundle } from './mover-bundle.ts';
import { rowsOf, type WayResult } from './restore-rows.ts';
import type { Way } from './way.ts';
import { ways } from './ways/ways.ts';

const MiB = 1024 ** 2;
const scratchBytes = 64 * 1024 * MiB;

export interface RestoreVolumesOptions {
  /** Names of data sets and ways; default: all except `millions`. */
  cases?: readonly string[];
  ways?: readonly string[];
  /** Latency of the store, ms. */
  latencies: readonly number[];
  /** Scale of data sets, 1 is the full size. */
  scale: number;
  /** A way that takes longer is stopped, and its result is extrapolated. */
  stopAfterMs: number;
  /** Memory limit of all processes of a way, like a pod's. */
  memoryBytes?: number | undefined;
  bytesPerSecond?: number | undefined;
  root: string;
  clock: Clock;
  signal: AbortSignal;
  say(text: string): void;
}

/**
 * Restores volumes in every way from a store on this machine with the latency of a distant one; each way once, on a new volume, in separate
 * processes. Needs root, loop devices and cgroup v1.
 */
export async function benchRestoreVolumes(options: RestoreVolumesOptions): Promise<BenchRow[]> {
  const directory = await mkdtemp(join(tmpdir(), 'lateen-bench-mover-'));
  try {
    return await benchCases(options, await bundleMover(options.root, directory));
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function benchCases(options: RestoreVolumesOptions, mover: MoverBundle): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  const names = options.cases ?? datasetNames.filter((name) => name !== 'millions');
  for (const dataset of names.map((name) => datasetOf(name, options.scale))) {
    options.say(`${dataset.title}: making the repository`);
    const made = await makeRepository(dataset, options.signal);
    try {
      rows.push(...rowsOf(dataset, made, await measureAll({ dataset, made, options, mover })));
    } finally {
      await made[Symbol.asyncDispose]();
    }
  }
  return rows;
}

async function measureAll(place: Place): Promise<WayResult[]> {
  const { dataset, options } = place;
  const results: WayResult[] = [];
  const chosen = ways.filter(({ name, runs }) => (options.ways?.includes(name) ?? true) && runs(dataset));
  for (const way of chosen)
    for (const latencyMs of way.distant ? options.latencies : [undefined]) {
      const result = await measure(way, latencyMs, place);
      options.say(`  ${way.title}${latencyMs === undefined ? '' : `, ${latencyMs} ms`}: ${result.note}`);
      results.push(result);
    }
  return results;
}

interface Place {
  dataset: Dataset;
  made: MadeRepository;
  options: RestoreVolumesOptions;
  mover: MoverBundle;
}

async function measure(way: Way, latencyMs: number | undefined, place: Place): Promise<WayResult> {
  const { dataset, made, options, mover } = place;
  const { clock } = options;
  const memoryBytes = way.memoryBytes ?? options.memoryBytes;
  await using volume = await freshVolume(dataset, made.bytes);
  await using store = await spawnDistantStore(made.server.endpoint);
  const { bytesPerSecond } = options;
  await store.set({ latencyMs: latencyMs ?? 0, ...(bytesPerSecond !== undefined && { bytesPerSecond }) });
  const scratch = await mkdtemp(join(tmpdir(), 'lateen-bench-restore-'));
  const group = await measuredGroup(clock, memoryBytes);
  const deadline = clock.deadline(options.stopAfterMs);
  const signal = AbortSignal.any([options.signal, deadline]);
  const serverCpu = await processCpuMs(made.server.pid);
  const startMs = clock.monotonicMs();
  let [said, failure]: [string | undefined, string | undefined] = [undefined, undefined];
  try {
    said = await way.run({
      dataset,
      made,
      store,
      volume: volume.path,
      scratch,
      group,
      memoryBytes,
      mover,
      clock,
      signal,
    });
  } catch (error) {
    options.signal.throwIfAborted();
    failure = deadline.aborted ? 'stopped' : error instanceof Error ? error.message.slice(0, 500) : String(error);
  }
  const seconds = (clock.monotonicMs() - startMs) / 1000;
  const files = failure === undefined ? made.files : await volume.files();
  const killed = await group.killed();
  const figures = await store.figures();
  const note = noteOf({
    seconds,
    files,
    failure: killed > 0 ? `${killed} killed for memory` : failure,
    figures,
    cpuSeconds: (await group.cpuMs()) / 1000,
    serverSeconds: ((await processCpuMs(made.server.pid)) - serverCpu) / 1000,
    distanceSeconds: (await processCpuMs(store.pid)) / 1000,
    megabytes: group.residentBytesMax() / 1e6,
    said,
  });
  await group.remove();
  await rm(scratch, { recursive: true });
  return { way, latencyMs, seconds, files, whole: failure === undefined, note };
}

interface Noted {
  seconds: number;
  files: number;
  failure: string | undefined;
  figures: StoreFigures;
  cpuSeconds: number;
  serverSeconds: number;
  distanceSeconds: number;
  megabytes: number;
  said: string | undefined;
}

const noteOf = (of: Noted): string =>
  [
    ...(of.failure === undefined ? [] : [of.failure]),
    `${of.seconds.toFixed(1)} s`,
    `${Math.round(of.files / of.seconds).toLocaleString('en')} files/s`,
    `CPU ${of.cpuSeconds.toFixed(1)} s (store ${of.serverSeconds.toFixed(1)} s, distance ${of.distanceSeconds.toFixed(1)} s)`,
    `${of.megabytes.toFixed(0)} MB`,
    `${of.figures.requests.toLocaleString('en')} requests on ${of.figures.connectionsMax} connections, ${(of.figures.sentBytes / 1e6).toFixed(0)} MB`,
    ...(of.said === undefined || of.said.trim() === '' ? [] : [of.said.trim()]),
  ].join('; ');

interface FreshVolume extends AsyncDisposable {
  path: string;
  /** The total number, for a way that was not completed. */
  files(): Promise<number>;
}

async function freshVolume(dataset: Dataset, bytes: number): Promise<FreshVolume> {
  if (dataset.mode === 'Block') {
    const devices = await benchDevices();
    const { path } = await devices.fresh(bytes);
    return { path, files: async () => 0, [Symbol.asyncDispose]: () => devices[Symbol.asyncDispose]() };
  }
  const scratch = await makeScratch('xfs', scratchBytes);
  const path = join(scratch.stateParent, 'volume');
  await mkdir(path);
  return {
    path,
    files: async () =>
      (await readdir(path)).length === 0 ? 0 : (await command('find', path, '-type', 'f', '-printf', '.')).length,
    [Symbol.asyncDispose]: () => scratch[Symbol.asyncDispose](),
  };
}
