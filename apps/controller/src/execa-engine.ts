import {
  type EngineExit,
  type EngineProcess,
  type EngineRun,
  engineNotStarted,
  engineOutputLimits,
} from '@lateen/repository';
import { execa } from 'execa';

/** From SIGINT to SIGKILL when the controller stops or a try takes too long. */
const graceMs = 10_000;

/** The engine as a child process of the controller, through execa. */
export function execaEngine(binary: string): EngineProcess {
  return { run: (request) => runChild(binary, request) };
}

async function runChild(binary: string, request: EngineRun): Promise<EngineExit> {
  // execa starts the child even then, and the kill may come too late.
  if (request.signal?.aborted) return notStarted;
  const child = execa(binary, [...request.args], {
    env: { ...request.env },
    extendEnv: false,
    input: request.stdin ?? '',
    reject: false,
    killSignal: 'SIGINT',
    forceKillAfterDelay: graceMs,
    stripFinalNewline: false,
    maxBuffer: engineOutputLimits.stdoutBytesMax,
    ...(request.signal === undefined ? {} : { cancelSignal: request.signal }),
  });
  if (request.onStderr !== undefined) child.stderr.setEncoding('utf8').on('data', request.onStderr);
  const result = await child;
  const neverRan = result.exitCode === undefined && result.signal === undefined && !result.isCanceled;
  if (neverRan) throw engineNotStarted(binary, result.failed ? result.cause : undefined);
  return {
    exitCode: result.exitCode,
    endedBy: result.signal,
    stdout: result.stdout,
    stderr: result.stderr.slice(-engineOutputLimits.stderrTailBytes),
    aborted: request.signal?.aborted === true,
  };
}

const notStarted: EngineExit = { exitCode: undefined, endedBy: undefined, stdout: '', stderr: '', aborted: true };
