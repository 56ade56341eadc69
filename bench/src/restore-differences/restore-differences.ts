import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { command } from '@lateen/csi-rig';
import type { Clock } from '@lateen/kernel';
import type { RestoreReport } from '@lateen/kopia-restore';
import { spawnDistantStore } from '@lateen/store-rig';
import type { BenchRow } from '../bench-row.ts';
import { benchDevices } from '../block/used-device.ts';
import { measuredGroup } from '../measured-group.ts';
import { median } from '../median.ts';
import { datasetOf } from '../restore-volumes/datasets.ts';
import { type MadeRepository, makeRepository } from '../restore-volumes/made-repository.ts';
import { bundleMover, type MoverBundle } from '../restore-volumes/mover-bundle.ts';
import { moverRestore } from '../restore-volumes/ways/mover.ts';

const MiB = 1024 ** 2;
/** 1 % of the volume, in that many pieces, evenly distributed. */
const changed = { share: 0.01, pieces: 20 };
const rounds = 2;
const dataset = datasetOf('block', 0.5);

interface Options {
  root: string;
  /** Latency of the store, ms. */
  latencies: readonly number[];
  clock: Clock;
  signal: AbortSignal;
  say(text: string): void;
}

/** One restore; seconds include the start of the mover. */
interface Restored {
  seconds: number;
  report: RestoreReport;
}

interface Bench extends Options {
  made: MadeRepository;
  mover: MoverBundle;
  /** A loop device with the content of the volume. */
  device: string;
}

/**
 * 1 % of a block volume of 1 GiB changes after its backup; it is restored in place in full and by its differences, alternating, by our
 * mover in a separate process, from a store with the latency of a distant one. Needs root, loop devices and cgroup v1.
 */
export async function benchRestoreDifferences(options: Options): Promise<BenchRow[]> {
  const directory = await mkdtemp(join(tmpdir(), 'lateen-bench-differences-'));
  try {
    const mover = await bundleMover(options.root, directory);
    options.say(`restore-differences: making the repository of ${dataset.title}`);
    await using made = await makeRepository(dataset, options.signal);
    await using devices = await benchDevices();
    const { path: device } = await devices.fresh(made.bytes);
    await pipeline(
      createReadStream(made.archive, { highWaterMark: MiB }),
      (await open(device, 'r+')).createWriteStream(),
    );
    const bench = { ...options, made, mover, device };
    const rows: BenchRow[] = [];
    for (const latencyMs of options.latencies) rows.push(...(await atDistance(bench, latencyMs)));
    return rows;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function atDistance(bench: Bench, latencyMs: number): Promise<BenchRow[]> {
  const [full, differences]: [Restored[], Restored[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    bench.say(`restore-differences: ${latencyMs} ms, round ${round + 1} of ${rounds}`);
    full.push(await oneRestore(bench, latencyMs, {}));
    differences.push(await oneRestore(bench, latencyMs, { SkipUnchangedFiles: 'true' }));
  }
  return rowsOf(latencyMs, full, differences);
}

async function oneRestore(bench: Bench, latencyMs: number, config: Record<string, string>): Promise<Restored> {
  const { made, mover, device, clock, signal } = bench;
  await change(device, made.bytes);
  await using store = await spawnDistantStore(made.server.endpoint);
  await store.set({ latencyMs });
  const scratch = await mkdtemp(join(tmpdir(), 'lateen-bench-restore-'));
  const group = await measuredGroup(clock);
  const startMs = clock.monotonicMs();
  const context = {
    dataset,
    made,
    store,
    volume: device,
    scratch,
    group,
    memoryBytes: undefined,
    mover,
    clock,
    signal,
  };
  try {
    const printed = await moverRestore(context, config);
    const seconds = (clock.monotonicMs() - startMs) / 1000;
    await command('cmp', made.archive, device);
    const { report } = JSON.parse(printed) as { report?: RestoreReport };
    if (report === undefined) throw new Error('the restore made no report');
    return { seconds, report };
  } finally {
    await group.remove();
    await rm(scratch, { recursive: true });
  }
}

/** Overwrites 1 % of the device, syncs it to its file, and drops the device's cache. */
async function change(device: string, bytes: number): Promise<void> {
  const target = await open(device, 'r+');
  const piece = Buffer.alloc((Math.floor((bytes * changed.share) / changed.pieces / 4096) + 1) * 4096, 'changed');
  for (let at = 0; at < changed.pieces; at++)
    await target.write(piece, 0, piece.length, Math.floor((at * bytes) / changed.pieces / 4096) * 4096);
  await target.sync();
  await target.close();
  await command('blockdev', '--flushbufs', device);
}

function rowsOf(latencyMs: number, full: readonly Restored[], differences: readonly Restored[]): BenchRow[] {
  const seconds = (of: readonly Restored[]) => median(of.map((one) => one.seconds));
  const megabytes = (of: readonly Restored[], take: (report: RestoreReport) => number | undefined) =>
    median(of.map(({ report }) => (take(report) ?? 0) / MiB)).toFixed(0);
  const told = (of: readonly Restored[]) =>
    `${megabytes(of, (report) => report.writtenBytes)} MiB written, ${megabytes(of, (report) => report.storeBytes)} MiB from the store`;
  const name = `1 GiB block volume, 1 % changed in ${changed.pieces} pieces, store ${latencyMs} ms away`;
  return [
    { name: `${name}: all of it restored in place`, value: seconds(full), unit: 's', note: told(full) },
    { name: 'the same: only what differs', value: seconds(differences), unit: 's', note: told(differences) },
    {
      name: 'the same: all of it / only what differs',
      value: median(full.map((one, at) => one.seconds / (differences[at]?.seconds ?? one.seconds))),
      unit: '×',
      note: `median of the ratios of ${rounds} pairs`,
    },
  ];
}
