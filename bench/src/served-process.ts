import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Clock } from '@lateen/kernel';

/** A line that a script below `test/scenarios` prints: the URL of its API server, and results. */
export interface Answer {
  url?: string;
  completed?: number;
  open?: number;
  calls?: Record<string, number>;
}

export interface ServedRun {
  /** `test/scenarios/src/…` and its arguments. */
  script: readonly string[];
  /** The measured program, as arguments of `node`; `--kubeconfig` is added. */
  program: readonly string[];
  root: string;
  /** Folder for files of this run. */
  folder: string;
  clock: Clock;
  signal: AbortSignal;
}

export interface ServedResult {
  answer: Answer;
  /** The program's maximum resident memory, in MB. */
  megabytes: number;
  seconds: number;
}

const sampleMs = 500;

/** Runs a program against the API server in memory of a script in another process, until the script reports the end. */
export async function runServed({ script, program, root, folder, clock, signal }: ServedRun): Promise<ServedResult> {
  const [path = '', ...args] = script;
  const server = spawn(process.execPath, ['--max-old-space-size=4096', join(root, path), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    signal,
  });
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const { url = '' } = await nextAnswer(lines);
  const kubeconfig = join(folder, `kubeconfig-${args.join('-')}`);
  await writeFile(kubeconfig, kubeconfigText(url));
  const measured = spawn(process.execPath, [...program, '--kubeconfig', kubeconfig], {
    stdio: ['ignore', 'ignore', 'inherit'],
    signal,
  });
  const startedMs = clock.monotonicMs();
  const sampling = new AbortController();
  const highest = sampleMemory(measured, clock, sampling.signal);
  const answer = await nextAnswer(lines);
  const seconds = (clock.monotonicMs() - startedMs) / 1000;
  sampling.abort();
  const megabytes = await highest;
  await ended(measured);
  server.stdin.end();
  await once(server, 'exit');
  return { answer, megabytes, seconds };
}

async function nextAnswer(lines: AsyncIterator<string>): Promise<Answer> {
  const line = await lines.next();
  if (line.done === true) throw new Error('the API server in memory has ended');
  return JSON.parse(line.value) as Answer;
}

/** The kernel keeps the maximum; it is read until the process ends. */
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
