import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bundle, imageApps } from '@lateen/image';
import type { Clock } from '@lateen/kernel';
import type { BenchRow } from './bench-row.ts';

/** Of the node-agent, in MB, with the long queue. */
const megabytesMax = 160;
const [shortQueue, longQueue] = [100, 1_000];
const sampleMs = 500;

interface Answer {
  url?: string;
  completed?: number;
  open?: number;
  calls?: Record<string, number>;
}

interface Measured {
  megabytes: number;
  callsPerUpload: number;
  seconds: number;
}

/**
 * A node-agent, bundled as in the image, against an API server in memory in another process: many DataUploads for its
 * node are there from the start. Its greatest resident memory, and how many calls each DataUpload costs.
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
  const { root, clock, signal, folder, program, say } = options;
  say(`queue: ${uploads} DataUploads`);
  const script = join(root, 'test', 'scenarios', 'src', 'simulation', 'serve-queue.ts');
  const server = spawn(process.execPath, ['--max-old-space-size=4096', script, String(uploads)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    signal,
  });
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const { url = '' } = await nextAnswer(lines);
  const kubeconfig = join(folder, `kubeconfig-${uploads}`);
  await writeFile(kubeconfig, kubeconfigText(url));
  const args = [...program, '--kubeconfig', kubeconfig, '--node', 'node-1', '--port', '0', '--concurrency', '2'];
  const agent = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'], signal });
  const startedMs = clock.monotonicMs();
  const sampling = new AbortController();
  const highest = sampleMemory(agent, clock, sampling.signal);
  const { completed = 0, calls = {} } = await nextAnswer(lines);
  const seconds = (clock.monotonicMs() - startedMs) / 1000;
  sampling.abort();
  const megabytes = await highest;
  await ended(agent);
  server.stdin.end();
  await once(server, 'exit');
  if (completed !== uploads) throw new Error(`${completed} of ${uploads} DataUploads completed`);
  return { megabytes, seconds, callsPerUpload: Object.values(calls).reduce((sum, count) => sum + count, 0) / uploads };
}

async function nextAnswer(lines: AsyncIterator<string>): Promise<Answer> {
  const line = await lines.next();
  if (line.done === true) throw new Error('the API server in memory has ended');
  return JSON.parse(line.value) as Answer;
}

/** The kernel keeps the highest figure; it is read until the process goes away. */
async function sampleMemory(process: ChildProcess, clock: Clock, signal: AbortSignal): Promise<number> {
  let kilobytes = 0;
  for (;;) {
    const status = await readFile(`/proc/${process.pid}/status`, 'utf8').catch(() => '');
    kilobytes = Math.max(kilobytes, Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0));
    if (signal.aborted) return (kilobytes * 1024) / 1e6;
    await clock.sleep(sampleMs, signal).catch(() => {});
  }
}

async function ended(process: ChildProcess): Promise<void> {
  const exit = once(process, 'exit');
  process.kill('SIGTERM');
  await exit;
}

const kubeconfigText = (url: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'memory',
    contexts: [{ name: 'memory', context: { cluster: 'memory', user: 'memory' } }],
    clusters: [{ name: 'memory', cluster: { server: url } }],
    users: [{ name: 'memory', user: {} }],
  });
