import {
  drain,
  type EngineExit,
  type EngineProcess,
  type EngineRun,
  engineNotStarted,
  engineOutputLimits,
  feed,
} from '@lateen/repository';
import { execa } from 'execa';

/** From SIGINT to SIGKILL when the controller stops or a try takes too long. */
const graceMs = 10_000;

/** The engine as a child process of the controller, through execa. */
export function execaEngine(binary: string): EngineProcess {
  return { run: (request) => runChild(binary, request) };
}

async function runChild(binary: string, request: EngineRun): Promise<EngineExit> {
  const { stdin = '', onStdout, onStderr, signal } = request;
  // execa starts the child even then, and the kill may come too late.
  if (signal?.aborted) return notStarted;
  const failed = new AbortController();
  const stop = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]);
  const ended = new AbortController();
  const child = execa(binary, [...request.args], {
    env: { ...request.env },
    extendEnv: false,
    ...(request.cwd === undefined ? {} : { cwd: request.cwd }),
    ...(typeof stdin === 'string' ? { input: stdin } : {}),
    buffer: { stdout: onStdout === undefined },
    reject: false,
    killSignal: 'SIGINT',
    forceKillAfterDelay: graceMs,
    stripFinalNewline: false,
    maxBuffer: engineOutputLimits.stdoutBytesMax,
    cancelSignal: stop,
  });
  if (onStderr !== undefined) child.stderr?.setEncoding('utf8').on('data', onStderr);
  const streams = Promise.all([
    typeof stdin === 'string' ? undefined : feed(child.stdin, stdin, AbortSignal.any([stop, ended.signal])),
    onStdout === undefined ? undefined : drain(child.stdout, onStdout, stop),
  ]);
  streams.catch(() => failed.abort());
  const result = await child;
  ended.abort();
  await streams;
  const neverRan = result.exitCode === undefined && result.signal === undefined && !result.isCanceled;
  if (neverRan) throw engineNotStarted(binary, result.failed ? result.cause : undefined);
  return {
    exitCode: result.exitCode,
    endedBy: result.signal,
    stdout: result.stdout ?? '',
    stderr: result.stderr.slice(-engineOutputLimits.stderrTailBytes),
    aborted: signal?.aborted === true,
  };
}

const notStarted: EngineExit = { exitCode: undefined, endedBy: undefined, stdout: '', stderr: '', aborted: true };
