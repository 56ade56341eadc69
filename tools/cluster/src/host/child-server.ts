import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';

/** A server that runs until this process ends, or until it is stopped. */
export interface ChildServer {
  readonly pid: number;
  /** Why it no longer runs, so that a wait for it can end. */
  ended(): Error | undefined;
  /** Ends it with SIGTERM, and with SIGKILL when it does not react. Safe to repeat. */
  stop(): Promise<void>;
}

const logLinesMax = 15;
/** etcd and kube-apiserver end within a second or two when asked; test data needs no longer wait. */
const stopTimeoutMs = 5_000;

/** Starts a program with its output in `logFile`. @throws PROCESS_NOT_STARTED */
export async function startChildServer(
  file: string,
  args: readonly string[],
  options: { logFile: string; clock: Clock; env?: Readonly<Record<string, string>> },
): Promise<ChildServer> {
  const log = await open(options.logFile, 'a');
  const child = spawn(file, args, { stdio: ['ignore', log.fd, log.fd], env: { ...process.env, ...options.env } });
  const started = Promise.withResolvers<void>();
  const exited = Promise.withResolvers<void>();
  let end: Error | undefined;
  child.once('spawn', started.resolve);
  child.once('error', (cause) =>
    started.reject(new AppError('PROCESS_NOT_STARTED', `${file} could not be started`, { cause })),
  );
  child.once('exit', (code, signal) => {
    end = new AppError(
      'PROCESS_ENDED',
      `${file} ended with ${signal ?? `exit code ${code}`}; its log: ${options.logFile}`,
    );
    exited.resolve();
  });
  // The listeners are added first: `spawn` is emitted in the next turn of the event loop.
  await started.promise.finally(() => log.close());

  const stop = async (): Promise<void> => {
    if (end) return;
    child.kill('SIGTERM');
    const patience = new AbortController();
    const kill = options.clock.sleep(stopTimeoutMs, patience.signal).then(
      () => child.kill('SIGKILL'),
      () => {},
    );
    await exited.promise;
    patience.abort();
    await kill;
  };
  return { pid: child.pid ?? 0, ended: () => end, stop };
}

/** The last lines of a log, for an error message. Empty when there is none. */
export async function lastLogLines(logFile: string): Promise<string> {
  const text = await readFile(logFile, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-logLinesMax).join('\n');
}
