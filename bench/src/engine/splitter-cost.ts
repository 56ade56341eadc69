import { randomInt } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { command } from '@lateen/csi-rig';
import { systemClock } from '@lateen/kernel';
import type { KopiaSession } from '@lateen/repository';
import type { BenchRow } from '../bench-row.ts';
import { benchDevices } from '../block/used-device.ts';
import { cpuMs } from '../cpu-ms.ts';
import { localKopia } from '../local-kopia.ts';
import { median } from '../median.ts';
import { localMover, type Mode } from './local-mover.ts';
import { noise } from './noise.ts';

const runs = 5;
const bytes = 612 * 1024 ** 2;
/** Overwritten in place between two backups: 40 times 256 KiB, 10 MiB. */
const [changes, changeBytes] = [40, 256 * 1024];

export interface UploadCost {
  cpuMs: number;
  ms: number;
  /** Growth of the repository. */
  storedBytes: number;
}

/** One upload with the earlier behaviour, and one with the current. */
export interface SplitterPair {
  before: UploadCost;
  now: UploadCost;
}

/** Earlier behaviour: the policy of a source was not read, and everything was split by the default. */
const withoutPolicies = (session: KopiaSession): KopiaSession => ({
  ...session,
  run: async (args, run) =>
    args[0] === 'policy'
      ? { exitCode: 0, endedBy: undefined, stdout: '{"scheduling":{"manual":true}}', stderr: '', aborted: false }
      : session.run(args, run),
});

/**
 * 612 MB of noise as a block device and as one file, split by kopia's default and by FIXED-4M, alternating, each in a separate repository;
 * then 10 MiB of the device is changed in place and both are uploaded again. CPU is that of the mover and all processes that it starts.
 * Needs root.
 */
export async function benchSplitters(
  kopia: string,
  { signal, say }: { signal: AbortSignal; say(text: string): void },
): Promise<BenchRow[]> {
  await using devices = await benchDevices();
  const { directory } = devices;
  const device = await devices.fresh(bytes);
  const tree = join(directory, 'tree');
  await mkdir(tree);
  noise(device.path, bytes);
  noise(join(tree, 'data'), bytes);
  const pairs = { device: [] as SplitterPair[], file: [] as SplitterPair[], changed: [] as SplitterPair[] };
  for (let run = 0; run < runs; run++) {
    const repositories = { before: join(directory, 'before'), now: join(directory, 'now') };
    const sessions = {
      before: withoutPolicies(await localKopia(kopia, repositories.before, process.env.PATH ?? '')),
      now: await localKopia(kopia, repositories.now, process.env.PATH ?? ''),
    };
    const pair = async (mode: Mode, path: string, config: Record<string, string>): Promise<SplitterPair> => {
      const cost = (which: 'before' | 'now') =>
        costOf(repositories[which], async () => {
          const mover = localMover(sessions[which], directory, signal);
          await mover.upload(mode, path, mode.toLowerCase(), which === 'now' ? config : {});
        });
      // The first of a pair has the colder page cache, so the order alternates.
      if (run % 2 === 0) return { before: await cost('before'), now: await cost('now') };
      const now = await cost('now');
      return { before: await cost('before'), now };
    };
    pairs.device.push(await pair('Block', device.path, {}));
    await change(device.path);
    pairs.changed.push(await pair('Block', device.path, {}));
    pairs.file.push(await pair('Filesystem', tree, { splitter: 'FIXED-4M' }));
    await Promise.all(Object.values(repositories).map((repository) => rm(repository, { recursive: true })));
    say(`  run ${run + 1} of ${runs}: ${JSON.stringify(pairs.device.at(-1))}`);
  }
  return [
    ...rowsOf('612 MB block device, new', pairs.device),
    ...rowsOf('the same device, 10 MiB of it changed in 40 places', pairs.changed),
    ...rowsOf('612 MB in one file, new', pairs.file),
  ];
}

async function change(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    const data = Buffer.alloc(changeBytes);
    for (let at = 0; at < changes; at++) {
      data.fill(randomInt(256));
      await handle.write(data, 0, changeBytes, randomInt((bytes - changeBytes) / 4096) * 4096);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function costOf(repository: string, act: () => Promise<void>): Promise<UploadCost> {
  const stored = await sizeOf(repository);
  const [cpu, startMs] = [await cpuMs(), systemClock.monotonicMs()];
  await act();
  const cost = { cpuMs: (await cpuMs()) - cpu, ms: systemClock.monotonicMs() - startMs };
  return { ...cost, storedBytes: (await sizeOf(repository)) - stored };
}

const sizeOf = async (repository: string): Promise<number> =>
  Number((await command('du', '--summarize', '--block-size=1', join(repository, 'blobs'))).split('\t')[0]);

/** The figures of one upload as ratios of pairs. A pure function. */
export function rowsOf(title: string, pairs: readonly SplitterPair[]): BenchRow[] {
  const row = (what: string, key: keyof UploadCost, say: (value: number) => string): BenchRow => {
    const of = (which: keyof SplitterPair) => median(pairs.map((pair) => pair[which][key]));
    return {
      name: `${title}: ${what} now / before`,
      value: median(pairs.map(({ now, before }) => now[key] / before[key])),
      unit: '×',
      note: `${say(of('now'))} against ${say(of('before'))}`,
    };
  };
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
  return [
    row('CPU', 'cpuMs', seconds),
    row('time', 'ms', seconds),
    row('stored', 'storedBytes', (value) => `${(value / 1e6).toFixed(1)} MB`),
  ];
}
