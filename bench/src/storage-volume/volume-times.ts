import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { writeImageProgram } from '@lateen/image';
import type { BenchRow } from '../bench-row.ts';
import { median } from '../median.ts';

interface Parts {
  root: string;
  signal: AbortSignal;
  say(text: string): void;
}

const attaches = 5;
const attachMsMax = 2_000;
const rebuilds = 5;
const rebuildMsMax = 10_000;
/** Parallel writes during a rebuild. */
const depths = [1, 16] as const;

/**
 * The attach of a healthy volume on instance managers that are bundled as in the image, step by step as a volume manager requests it;
 * without kubelet and manager. Needs root.
 */
export async function benchStorageAttach(parts: Parts): Promise<BenchRow[]> {
  const found = await runOnManagers(parts, 'attach', [`${attaches}`]);
  const steps = Object.keys(found[0] ?? {});
  const each = (step: string) => median(found.map((run) => run[step] ?? 0));
  const value = median(found.map((run) => steps.reduce((sum, step) => sum + (run[step] ?? 0), 0)));
  return [
    {
      name: 'replicated volume of 2 GiB, healthy: attach',
      ...{ value, unit: 'ms', target: `under ${attachMsMax / 1_000} s`, reached: value < attachMsMax },
      note: steps.map((step) => `${step} ${Math.round(each(step))} ms`).join(', '),
    },
  ];
}

/** A replica of 2 GiB with 600 MB of data is rebuilt during random writes: time from the request until it is read from. Needs root. */
export async function benchStorageRebuild(parts: Parts): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const depth of depths) {
    const found = await runOnManagers(parts, 'rebuild', [`${rebuilds}`, `${depth}`]);
    const value = median(found.map(({ ms = 0 }) => ms)) / 1_000;
    const writes = median(found.map(({ writesPerSecond = 0 }) => writesPerSecond));
    rows.push({
      name: `replica of 2 GiB with 600 MB, rebuilt beside a writer of 4 KiB, ${depth} under way`,
      ...{ value, unit: 's', target: `under ${rebuildMsMax / 1_000} s`, reached: value * 1_000 < rebuildMsMax },
      note: `${Math.round(writes)} writes/s beside it`,
    });
  }
  return rows;
}

/** The output of `test/cluster/src/block/<what>-times-main.ts`, line by line. */
async function runOnManagers(
  { root, signal, say }: Parts,
  what: 'attach' | 'rebuild',
  args: readonly string[],
): Promise<Record<string, number>[]> {
  const folder = await mkdtemp(join(tmpdir(), 'lateen-bench-volume-'));
  try {
    const { command, environment } = await writeImageProgram('instance-manager', root, folder);
    const [node, ...program] = command;
    const script = join(root, 'test', 'cluster', 'src', 'block', `${what}-times-main.ts`);
    const env = { ...process.env, ...environment };
    const child = spawn(node, [script, ...args, ...program], { env, stdio: ['ignore', 'pipe', 'inherit'], signal });
    const exit = once(child, 'exit');
    const found: Record<string, number>[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      say(`${what}: ${line}`);
      found.push(JSON.parse(line));
    }
    const [code] = await exit;
    if (code !== 0) throw new Error(`${script} ended with ${code}`);
    return found;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
