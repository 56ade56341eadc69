import { type ChildProcessWithoutNullStreams, type StdioOptions, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { AppError } from '@lateen/errors';
import { type Clock, TailText } from '@lateen/kernel';
import { type ChildExit, type ChildRun, type ChildRunner, childOutputLimits, inputCloseMs } from './child-run.ts';
import { drain, feed } from './child-streams.ts';
import { HeadText } from './head-text.ts';

export interface ChildRunnerOptions {
  /** Name or path of the program. */
  program: string;
  clock: Clock;
  /** From SIGINT to SIGKILL: kopia finishes the uploads it is in the middle of. */
  graceMs: number;
}

/** Programs as plain child processes; why not through a library: docs/adr/0019-one-runner-on-spawn.md. */
export function childRunner(options: ChildRunnerOptions): ChildRunner {
  return { run: (request) => runChild(options, request) };
}

function runChild(options: ChildRunnerOptions, request: ChildRun): Promise<ChildExit> {
  const { program } = options;
  if (request.signal?.aborted) return Promise.resolve(notStarted);
  return new Promise((resolve, reject) => {
    const child = started(program, request);
    if (child.pid !== undefined) request.onStart?.(child.pid);
    const ended = new AbortController();
    const end = ending(options, child, ended.signal);
    request.signal?.addEventListener('abort', end.ask, { once: true });
    const stderr = keepTail(child.stderr, request.onStderr);
    const streams = moveStreams(child, request, end.asked, ended.signal);
    let failure: { cause: unknown } | undefined;
    streams.done.catch((cause: unknown) => {
      failure = { cause };
      end.ask();
    });
    const finish = () => {
      ended.abort();
      request.signal?.removeEventListener('abort', end.ask);
    };
    child.once('error', (cause) => {
      // Of a child that runs, a signal that could not be sent; the next one is SIGKILL.
      if (child.pid !== undefined) return;
      finish();
      reject(notStartedError(program, cause));
    });
    child.once('close', (code, endedBy) => {
      finish();
      const exit = (): ChildExit => ({
        exitCode: code ?? undefined,
        endedBy: endedBy ?? undefined,
        stdout: streams.stdout.text(),
        stderr: stderr.text(),
        aborted: request.signal?.aborted === true,
      });
      const settle = () => (failure === undefined ? resolve(exit()) : reject(failure.cause));
      streams.done.then(settle, settle);
    });
  });
}

function started(program: string, { args, env, cwd, files = [] }: ChildRun): ChildProcessWithoutNullStreams {
  try {
    const options = { env: { ...env }, cwd, stdio: ['pipe', 'pipe', 'pipe', ...files] as StdioOptions };
    // The types know three streams only when nothing else is given.
    return spawn(program, [...args], options) as ChildProcessWithoutNullStreams;
  } catch (cause) {
    // E2BIG and the like; that the file is not there comes as an event.
    throw notStartedError(program, cause);
  }
}

/** Asks a child to end, closes its input, and kills it when the grace period is over. */
function ending({ clock, graceMs }: ChildRunnerOptions, child: ChildProcessWithoutNullStreams, ended: AbortSignal) {
  const asked = new AbortController();
  const later = (ms: number, act: () => void) => clock.sleep(ms, ended).then(act, () => {});
  const ask = () => {
    if (asked.signal.aborted || ended.aborted) return;
    asked.abort();
    child.kill('SIGINT');
    void later(Math.min(inputCloseMs, graceMs), () => child.stdin.destroy());
    void later(graceMs, () => child.kill('SIGKILL'));
  };
  return { ask, asked: asked.signal };
}

/** Standard input and output of a child; `done` rejects with the first error of the request's own streams. */
function moveStreams(
  child: ChildProcessWithoutNullStreams,
  { stdin = '', onStdout }: ChildRun,
  asked: AbortSignal,
  ended: AbortSignal,
) {
  const stdout = new HeadText(childOutputLimits.stdoutBytesMax);
  // A child that ends before it read its input breaks the pipe; `close` reports how it ended.
  child.stdin.on('error', () => {});
  if (onStdout === undefined) child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  if (typeof stdin === 'string') child.stdin.end(stdin);
  const done = Promise.all([
    typeof stdin === 'string' ? undefined : feed(child.stdin, stdin, AbortSignal.any([asked, ended])),
    onStdout === undefined ? undefined : drain(child.stdout, onStdout, asked),
  ]);
  return { stdout, done };
}

function keepTail(stream: Readable, onText: ((text: string) => void) | undefined): TailText {
  const tail = new TailText(childOutputLimits.stderrTailBytes);
  const decoder = new StringDecoder('utf8');
  stream.on('data', (chunk: Buffer) => {
    const text = decoder.write(chunk);
    tail.push(text);
    onText?.(text);
  });
  return tail;
}

const notStarted: ChildExit = { exitCode: undefined, endedBy: undefined, stdout: '', stderr: '', aborted: true };

function notStartedError(program: string, cause: unknown): AppError {
  return new AppError('PROGRAM_NOT_STARTED', `the program "${program}" cannot be started`, {
    cause,
    nextStep: 'It has to be in the image, executable, and on the PATH.',
  });
}
