import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@lateen/kernel';
import type { BenchRow } from '../bench-row.ts';
import { benchDevices } from '../block/used-device.ts';
import { localKopia } from '../local-kopia.ts';
import { median } from '../median.ts';
import { localMover } from './local-mover.ts';
import { readReport, type TimedProcess, timedRunner } from './timed-runner.ts';

const runs = 5;
const MiB = 1024 ** 2;
const deviceBytes = 64 * MiB;

/** The cost of one movement: its processes, and the work in this process. */
export interface MovementCost {
  processes: readonly TimedProcess[];
  ownCpuMs: number;
  ms: number;
}

/**
 * How the CPU and time of one small movement are distributed: each process that a mover starts, and its own part, for 13 MB in 36 files and
 * for a block device of 64 MiB with an ext4 that has 13 MB. With a repository in a directory; an object store adds latency. Needs root.
 */
export async function benchMovementBudget(
  kopia: string,
  { signal, say }: { signal: AbortSignal; say(text: string): void },
): Promise<BenchRow[]> {
  await using devices = await benchDevices();
  const { directory } = devices;
  const report = join(directory, 'report');
  const runnerOf = (program: string) => timedRunner(report, program);
  const [tree, to, made] = ['tree', 'to', 'made'].map((name) => join(directory, name)) as [string, string, string];
  await mkdir(tree);
  execFileSync('sh', ['-c', 'for i in $(seq 36); do head -c 360000 /dev/urandom > file-$i; done'], { cwd: tree });
  const device = await devices.fresh(deviceBytes);
  execFileSync('mkfs.ext4', ['-q', '-F', '-d', tree, device.path], { stdio: 'ignore' });
  const costs = new Map<string, MovementCost[]>();
  for (let run = 0; run <= runs; run++) {
    const repository = join(made, `${run}`);
    const session = await localKopia(kopia, repository, process.env.PATH ?? '', runnerOf(kopia));
    const mover = localMover(session, directory, signal, runnerOf);
    const step = async <T>(title: string, act: () => Promise<T>): Promise<T> => {
      await writeFile(report, '');
      const [own, startMs] = [process.cpuUsage(), systemClock.monotonicMs()];
      const result = await act();
      const ms = systemClock.monotonicMs() - startMs;
      const { user, system } = process.cpuUsage(own);
      const cost = { processes: await readReport(report), ownCpuMs: (user + system) / 1000, ms };
      // Run 0 is a warm-up and not counted.
      if (run > 0) costs.set(title, [...(costs.get(title) ?? []), cost]);
      return result;
    };
    await step('kopia: the program alone', () => session.run(['--version']));
    await step('kopia: opens a repository', () => session.run(['repository', 'status']));
    const files = await step('13 MB in 36 files, upload', () => mover.upload('Filesystem', tree, 'files'));
    await step('the same again', () => mover.upload('Filesystem', tree, 'files'));
    await mkdir(to);
    await step('its restore', () => mover.download('Filesystem', to, files));
    await rm(to, { recursive: true });
    const block = await step('block device of 64 MiB, upload', () => mover.upload('Block', device.path, 'block'));
    await step('the same device again', () => mover.upload('Block', device.path, 'block'));
    const target = await devices.fresh(deviceBytes);
    await step('restore of the device', () => mover.download('Block', target.path, block));
    await devices.release(target);
    await rm(repository, { recursive: true });
    say(`  run ${run} of ${runs}`);
  }
  return [...costs].flatMap(([title, all]) => rowsOf(title, all));
}

/** One row for the total and one for each part; for kopia alone only the process. A pure function. */
export function rowsOf(title: string, all: readonly MovementCost[]): BenchRow[] {
  const ms = (of: (cost: MovementCost) => number) => median(all.map(of));
  const sum = (processes: readonly TimedProcess[], key: 'cpuMs' | 'ms') =>
    processes.reduce((total, each) => total + each[key], 0);
  const named = (what: string) => (cost: MovementCost) => cost.processes.filter((each) => each.what === what);
  const row = (name: string, cpuMs: number, note: string): BenchRow => ({ name, value: cpuMs, unit: 'ms', note });
  const processes = ms((cost) => sum(cost.processes, 'cpuMs'));
  const note = `in ${ms((cost) => cost.ms).toFixed(0)} ms`;
  if (title.startsWith('kopia')) return [row(`${title}: CPU`, processes, note)];
  const whole = row(
    `${title}: CPU`,
    ms((cost) => sum(cost.processes, 'cpuMs') + cost.ownCpuMs),
    note,
  );
  const names = [...new Set(all.flatMap(({ processes }) => processes.map(({ what }) => what)))];
  const parts = names.map((what) => {
    const of = named(what);
    const starts = ms((cost) => of(cost).length);
    const times = starts > 1 ? `${starts} starts, ` : '';
    return row(
      `— ${what}`,
      ms((cost) => sum(of(cost), 'cpuMs')),
      `${times}${ms((cost) => sum(of(cost), 'ms')).toFixed(0)} ms`,
    );
  });
  return [
    whole,
    ...parts,
    row(
      '— the mover itself',
      ms((cost) => cost.ownCpuMs),
      '',
    ),
  ];
}
