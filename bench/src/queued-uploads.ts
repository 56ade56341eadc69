import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle, imageApps } from '@lateen/image';
import type { Clock } from '@lateen/kernel';
import type { BenchRow } from './bench-row.ts';
import { runServed } from './served-process.ts';

/** Target memory of the node-agent, in MB, with the long queue. */
const megabytesMax = 160;
const [shortQueue, longQueue] = [100, 1_000];

interface Measured {
  megabytes: number;
  callsPerUpload: number;
  seconds: number;
}

/**
 * A node-agent, bundled as in the image, with an API server in memory in another process and many DataUploads for its node from the start.
 * Its maximum resident memory, and the number of API calls for each DataUpload.
 */
export async function benchQueuedUploads(options: {
  root: string;
  clock: Clock;
  signal: AbortSignal;
  say(text: string): void;
}): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'lateen-bench-queue-'));
  try {
    const app = imageApps.find(({ name }) => name === 'node-agent');
    if (app === undefined) throw new Error('the image has no node-agent');
    const program = join(folder, 'node-agent.mjs');
    await writeFile(program, (await bundle(app, options.root)).contents);
    const run = { ...options, folder, program: [...(app.nodeFlag === undefined ? [] : [app.nodeFlag]), program] };
    const short = await measure(shortQueue, run);
    const long = await measure(longQueue, run);
    return [
      {
        name: `node-agent with ${longQueue} DataUploads queued, resident at most`,
        value: long.megabytes,
        unit: 'MB',
        target: `under ${megabytesMax} MB`,
        reached: long.megabytes < megabytesMax,
        note: `all Completed in ${long.seconds.toFixed(0)} s; VmHWM`,
      },
      {
        name: `API calls per DataUpload, queue of ${longQueue}`,
        value: long.callsPerUpload,
        unit: 'calls',
        target: `as with a queue of ${shortQueue}, within 2 %`,
        reached: long.callsPerUpload <= short.callsPerUpload * 1.02,
        note: `${short.callsPerUpload.toFixed(1)} with ${shortQueue}; without the informers' own`,
      },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(
  uploads: number,
  options: {
    root: string;
    clock: Clock;
    signal: AbortSignal;
    folder: string;
    program: readonly string[];
    say(text: string): void;
  },
): Promise<Measured> {
  options.say(`queue: ${uploads} DataUploads`);
  const { answer, megabytes, seconds } = await runServed({
    ...options,
    script: ['test/scenarios/src/simulation/serve-queue.ts', String(uploads)],
    program: [...options.program, '--node', 'node-1', '--port', '0', '--concurrency', '2'],
  });
  const { completed = 0, calls = {} } = answer;
  if (completed !== uploads) throw new Error(`${completed} of ${uploads} DataUploads completed`);
  return { megabytes, seconds, callsPerUpload: Object.values(calls).reduce((sum, count) => sum + count, 0) / uploads };
}
