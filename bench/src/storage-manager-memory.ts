import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle, imageApps } from '@lateen/image';
import type { Clock } from '@lateen/kernel';
import type { BenchRow } from './bench-row.ts';
import { runServed, type ServedResult } from './served-process.ts';

const few = 50;
const many = 500;
const replicasEach = 3;
/** Target memory of the manager, in MB. */
const megabytesMax = 160;

/**
 * A volume manager, bundled as in the image, with an API server in memory in another process: its maximum resident memory while it creates
 * engines and replicas of all volumes and is then idle for a minute, and the number of API calls for each volume, among few and among many.
 */
export async function benchStorageManagerMemory(options: {
  root: string;
  clock: Clock;
  signal: AbortSignal;
  say(text: string): void;
}): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'lateen-bench-storage-'));
  try {
    const app = imageApps.find(({ name }) => name === 'volume-manager');
    if (app === undefined) throw new Error('the image has no volume manager');
    const file = join(folder, 'volume-manager.mjs');
    await writeFile(file, (await bundle(app, options.root)).contents);
    const flags = [
      '--node=n1',
      '--port=0',
      '--api-port=0',
      '--api-address=127.0.0.1',
      `--certificate-directory=${folder}`,
    ];
    const program = [...(app.nodeFlag === undefined ? [] : [app.nodeFlag]), file, 'manager', ...flags];
    const measure = async (volumes: number): Promise<ServedResult> => {
      options.say(`storage: ${volumes} volumes`);
      const script = ['test/scenarios/src/storage/measure/serve-storage.ts', String(volumes)];
      const result = await runServed({ ...options, folder, script, program });
      const { completed, open } = result.answer;
      if (completed !== volumes) throw new Error(`${completed} of ${volumes} volumes are detached`);
      if (open !== replicasEach * volumes) throw new Error(`${volumes} volumes have ${open} replicas`);
      return result;
    };
    return rowsOf(await measure(few), await measure(many));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function rowsOf(small: ServedResult, large: ServedResult): BenchRow[] {
  const [fewCalls, manyCalls] = [callsEach(small, few), callsEach(large, many)];
  return [
    {
      name: `volume manager with ${many} volumes of ${replicasEach} replicas, resident at most`,
      value: large.megabytes,
      unit: 'MB',
      target: `under ${megabytesMax} MB`,
      reached: large.megabytes < megabytesMax,
      note: `${small.megabytes.toFixed(0)} MB with ${few}; VmHWM`,
    },
    {
      name: `API calls per volume, of ${many} against ${few}`,
      value: manyCalls / fewCalls,
      unit: 'times',
      target: 'at most 1.1',
      reached: manyCalls <= 1.1 * fewCalls,
      note: `${manyCalls.toFixed(1)} and ${fewCalls.toFixed(1)} calls; without Leases and Events`,
    },
  ];
}

function callsEach({ answer }: ServedResult, volumes: number): number {
  const own = Object.entries(answer.calls ?? {}).filter(([call]) => !/ (Lease|Event)$|^(list|watch) /.test(call));
  return own.reduce((sum, [, count]) => sum + count, 0) / volumes;
}
