import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureParts, silentProgress } from '@lateen/cluster';
import { command } from '@lateen/csi-rig';
import { systemClock } from '@lateen/kernel';
import type { KopiaSession } from '@lateen/repository';
import type { BlockOptions } from '@lateen/uploader';
import type { BenchRow } from '../bench-row.ts';
import { localKopia } from '../local-kopia.ts';
import { median } from '../median.ts';
import { blockMover } from './block-mover.ts';
import { type BenchDevice, type BenchDevices, benchDevices, fillDevice } from './used-device.ts';

const MiB = 1024 ** 2;
const deviceBytes = 1024 * MiB;
const usedBytes = Math.trunc(deviceBytes / 10);
const runs = 5;

/** One run: milliseconds of each step, and stored and allocated bytes. */
export interface BlockRun {
  wholeMs: number;
  mappedMs: number;
  wholeBytes: number;
  mappedBytes: number;
  /** Writes every block; zeroes with the storage's own command; finds zeroes by reading. */
  writtenMs: number;
  punchedMs: number;
  comparedMs: number;
  /** Bytes that the restored volume uses on its storage. */
  writtenBytes: number;
  punchedBytes: number;
}

const asIs = (block: BlockOptions): BlockOptions => block;

/** Storage that cannot zero a range by itself, so that its content has to be read. */
const withoutPunch = ({ devices, ...block }: BlockOptions): BlockOptions => ({
  ...block,
  devices: {
    open: async (path, access) => ({ ...(await devices.open(path, access)), punch: async () => false }),
  },
});

/**
 * A block device of 1 GiB with an ext4 that is a tenth full, with old data in the rest: uploaded with and without the allocation map, and
 * restored to new devices with and without writing zeroes. Medians of 5, each with a new repository in a directory. Needs root.
 */
export async function benchBlockVolumes(path: string, say: (text: string) => void): Promise<BenchRow[]> {
  const { kopia = '' } = await ensureParts(['kopia'], silentProgress);
  await using devices = await benchDevices();
  const source = await devices.fresh(deviceBytes);
  await fillDevice(source, devices.directory, usedBytes);
  const all: BlockRun[] = [];
  for (let run = 1; run <= runs; run++) {
    const one = await oneRun({ kopia, path, devices, source });
    say(`  run ${run}: ${JSON.stringify(one)}`);
    all.push(one);
  }
  return rowsOf(all);
}

async function oneRun(of: {
  kopia: string;
  path: string;
  devices: BenchDevices;
  source: BenchDevice;
}): Promise<BlockRun> {
  const { devices, source } = of;
  const { directory } = devices;
  const upload = async (repository: string, config: Record<string, string>) => {
    const session = await localKopia(of.kopia, repository, of.path);
    const taken = await timed(() => blockMover(session, directory, asIs).upload(source.path, config));
    return { session, ...taken, bytes: await storedBytes(repository) };
  };
  const [first, second] = [join(directory, 'whole'), join(directory, 'mapped')];
  const whole = await upload(first, { SkipUnusedBlocks: 'false' });
  await rm(first, { recursive: true });
  const mapped = await upload(second, {});
  const restore = (change: typeof asIs, config: Record<string, string>) =>
    restored(devices, mapped.session, mapped.result.snapshotID, { change, config });
  const written = await restore(asIs, { SkipZeroBlocks: 'false' });
  const punched = await restore(asIs, {});
  const compared = await restore(withoutPunch, {});
  await rm(second, { recursive: true });
  return {
    wholeMs: whole.ms,
    mappedMs: mapped.ms,
    wholeBytes: whole.bytes,
    mappedBytes: mapped.bytes,
    writtenMs: written.ms,
    punchedMs: punched.ms,
    comparedMs: compared.ms,
    writtenBytes: written.bytes,
    punchedBytes: punched.bytes,
  };
}

async function restored(
  devices: BenchDevices,
  session: KopiaSession,
  snapshotID: string,
  { change, config }: { change: typeof asIs; config: Record<string, string> },
): Promise<{ ms: number; bytes: number }> {
  const target = await devices.fresh(deviceBytes);
  const mover = blockMover(session, devices.directory, change);
  const { ms } = await timed(() => mover.download(snapshotID, target.path, config));
  const bytes = (await stat(target.file)).blocks * 512;
  await devices.release(target);
  return { ms, bytes };
}

/** The figures as rows. A pure function. */
export function rowsOf(all: readonly BlockRun[]): BenchRow[] {
  const of = (key: keyof BlockRun) => median(all.map((each) => each[key]));
  const ratio = (a: keyof BlockRun, b: keyof BlockRun) => Math.round((of(a) / of(b)) * 100) / 100;
  const ms = (key: keyof BlockRun) => `${Math.round(of(key))} ms`;
  const MB = (key: keyof BlockRun) => `${Math.round(of(key) / 1e6)} MB`;
  const row = (name: string, a: keyof BlockRun, b: keyof BlockRun, say: (key: keyof BlockRun) => string): BenchRow => ({
    name: `1 GiB block device, ext4 10 % used: ${name}`,
    value: ratio(a, b),
    unit: '×',
    note: `${say(a)} against ${say(b)}`,
  });
  return [
    row('backup with / without allocation map', 'mappedMs', 'wholeMs', ms),
    row('stored with / without allocation map', 'mappedBytes', 'wholeBytes', MB),
    row('restore without / with writing zeroes', 'punchedMs', 'writtenMs', ms),
    row('the same where the storage cannot zero by itself', 'comparedMs', 'writtenMs', ms),
    row('storage taken without / with writing zeroes', 'punchedBytes', 'writtenBytes', MB),
  ];
}

const storedBytes = async (directory: string): Promise<number> =>
  Number((await command('du', '--summarize', '--block-size=1', join(directory, 'blobs'))).split('\t')[0]);

async function timed<T>(act: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const startMs = systemClock.monotonicMs();
  const result = await act();
  return { ms: systemClock.monotonicMs() - startMs, result };
}
