import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureParts, silentProgress } from '@lateen/cluster';
import { type Clock, silentLogger, systemRandom } from '@lateen/kernel';
import { dataUploadSource } from '@lateen/repository';
import { kopiaUploader, systemBlock, systemPrograms } from '@lateen/uploader';
import type { BenchRow } from './bench-row.ts';
import { cpuMs } from './cpu-ms.ts';
import { localKopia } from './local-kopia.ts';
import { median } from './median.ts';

const runs = 5;

interface TreeCase {
  title: string;
  /** Creates the tree in the working directory; run again before each pair, so that there is something to store. */
  script: string;
}

/** Only plain files and folders, for which no manifest is necessary. */
const cases: readonly TreeCase[] = [
  {
    title: '13 MB in 36 files',
    script: 'for i in $(seq 36); do head -c 360000 /dev/urandom > file-$i; done',
  },
  {
    title: '612 MB in 36 files',
    script: 'for i in $(seq 36); do head -c 17000000 /dev/urandom > file-$i; done',
  },
  {
    title: '10,000 files, 1 % changed',
    script:
      'if [ ! -d d1 ]; then for d in $(seq 100); do mkdir d$d; for f in $(seq 100); do head -c 20000 /dev/urandom > d$d/f$f; done; done; fi; for d in $(seq 100); do head -c 20000 /dev/urandom > d$d/f1; done',
  },
];

/**
 * What the attribute manifest adds to an upload that does not need it: the uploader with and without it, on the same tree, alternating.
 * Measures only the upload; the exposure costs the same. CPU time is that of all processes and does not depend on the load of the machine;
 * elapsed time does.
 */
export async function benchAttributeCost(clock: Clock, signal: AbortSignal): Promise<BenchRow[]> {
  const { kopia = '' } = await ensureParts(['kopia'], silentProgress);
  const base = await mkdtemp(join(tmpdir(), 'lateen-bench-attributes-'));
  try {
    const rows: BenchRow[] = [];
    for (const [index, treeCase] of cases.entries()) {
      const directory = join(base, String(index));
      await mkdir(join(directory, 'tree'), { recursive: true });
      rows.push(...(await benchTree(treeCase, { kopia, directory, clock, signal })));
    }
    return rows;
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

interface Context {
  kopia: string;
  directory: string;
  clock: Clock;
  signal: AbortSignal;
}

async function benchTree({ title, script }: TreeCase, context: Context): Promise<BenchRow[]> {
  const { directory, clock, signal } = context;
  // In a directory, which is the fastest store, so that the share of the manifest is the largest.
  const session = await localKopia(context.kopia, directory, process.env.PATH ?? '');
  const tree = join(directory, 'tree');
  const child = { clock, graceMs: 5_000, scratchDirectory: directory };
  const uploader = kopiaUploader({
    session,
    clock,
    random: systemRandom,
    programs: systemPrograms({ ...child, path: process.env.PATH }),
    block: systemBlock(child),
    log: silentLogger,
    parallelFiles: 2,
    discardMs: 20_000,
    flush: async () => {},
  });
  const upload = async (AttributeManifest: 'true' | 'false'): Promise<Cost> => {
    execFileSync('sh', ['-c', script], { cwd: tree });
    const [start, cpu] = [clock.monotonicMs(), await cpuMs()];
    await uploader.upload({
      volumePath: tree,
      volumeMode: 'Filesystem',
      // Each has a separate source, so that neither finds the other's snapshot as its parent.
      source: dataUploadSource('bench', AttributeManifest, undefined),
      config: { AttributeManifest },
      onProgress: () => {},
      signal,
    });
    return { ms: clock.monotonicMs() - start, cpuMs: (await cpuMs()) - cpu };
  };
  const costs = { true: [] as Cost[], false: [] as Cost[] };
  // Run 0 is a warm-up of both and not counted.
  for (let run = 0; run <= runs; run++) {
    for (const config of run % 2 === 0 ? (['false', 'true'] as const) : (['true', 'false'] as const)) {
      const cost = await upload(config);
      if (run > 0) costs[config].push(cost);
    }
  }
  return rowsOf(title, costs.false, costs.true);
}

interface Cost {
  ms: number;
  /** User and system time of this process and all its children. */
  cpuMs: number;
}

function rowsOf(title: string, without: readonly Cost[], with_: readonly Cost[]): BenchRow[] {
  const of = (costs: readonly Cost[], key: keyof Cost): number => median(costs.map((cost) => cost[key]));
  /** The median of ratios of two consecutive uploads, so that both ran under the same load. */
  const ratio = (key: keyof Cost): number =>
    median(with_.map((cost, run) => cost[key] / (without[run]?.[key] ?? Number.NaN)));
  const row = (what: string, key: keyof Cost): BenchRow => ({
    name: `${title}: ${what} with / without attribute manifest`,
    value: ratio(key),
    unit: '×',
    target: 'at most 1.05 ×',
    reached: ratio(key) <= 1.05,
    note: `${of(with_, key).toFixed(0)} ms against ${of(without, key).toFixed(0)} ms`,
  });
  return [row('time', 'ms'), row('CPU', 'cpuMs')];
}
