import type { spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { HeadText, TailText } from './bounded-text.ts';
import { type EngineExit, type EngineProcess, type EngineRun, engineOutputLimits } from './engine-process.ts';

export interface SpawnedEngineOptions {
  /** `spawn` of node:child_process, or a double of it. */
  spawn: typeof spawn;
  /** Name or path of the engine. */
  binary: string;
  clock: Clock;
  /** From SIGINT to SIGKILL: kopia finishes the uploads it is in the middle of. */
  graceMs: number;
}

/** The engine as a plain child process: for the mover, which has no room for a process library. */
export function spawnedEngine(options: SpawnedEngineOptions): EngineProcess {
  return { run: (request) => runChild(options, request) };
}

function runChild({ spawn, binary, clock, graceMs }: SpawnedEngineOptions, request: EngineRun): Promise<EngineExit> {
  const { signal } = request;
  if (signal?.aborted) return Promise.resolve(notStarted);
  return new Promise((resolve, reject) => {
    const child = spawn(binary, [...request.args], { env: { ...request.env }, stdio: ['pipe', 'pipe', 'pipe'] });
    const stdout = new HeadText(engineOutputLimits.stdoutBytesMax);
    const stderr = new TailText(engineOutputLimits.stderrTailBytes);
    const decoder = new StringDecoder('utf8');
    const ended = new AbortController();
    const onAbort = () => {
      child.kill('SIGINT');
      clock.sleep(graceMs, ended.signal).then(
        () => child.kill('SIGKILL'),
        () => {},
      );
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      const text = decoder.write(chunk);
      stderr.push(text);
      request.onStderr?.(text);
    });
    // A child that ends before it read its input breaks the pipe; how it ended is told by `close`.
    child.stdin.on('error', () => {});
    child.stdin.end(request.stdin ?? '');
    const finish = () => {
      ended.abort();
      signal?.removeEventListener('abort', onAbort);
    };
    child.once('error', (cause) => {
      finish();
      reject(engineNotStarted(binary, cause));
    });
    child.once('close', (code, endedBy) => {
      finish();
      resolve({
        exitCode: code ?? undefined,
        endedBy: endedBy ?? undefined,
        stdout: stdout.text(),
        stderr: stderr.text(),
        aborted: signal?.aborted === true,
      });
    });
  });
}

const notStarted: EngineExit = { exitCode: undefined, endedBy: undefined, stdout: '', stderr: '', aborted: true };

export function engineNotStarted(binary: string, cause: unknown): AppError {
  return new AppError('ENGINE_NOT_STARTED', `the engine "${binary}" cannot be started`, {
    cause,
    nextStep: 'It has to be in the image, executable, and on the PATH.',
  });
}
