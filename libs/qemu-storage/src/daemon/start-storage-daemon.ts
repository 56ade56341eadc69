import type { ChildExit, ChildRunner } from '@lateen/child-process';
import { AppError } from '@lateen/errors';
import type { Clock, Random } from '@lateen/kernel';
import { connectStorageDaemon } from './connect-storage-daemon.ts';
import { type DaemonPlaces, daemonArguments, daemonEnvironment } from './daemon-arguments.ts';
import type { StorageDaemon } from './storage-daemon.ts';

export interface StartStorageDaemonOptions extends DaemonPlaces {
  /** Of qemu-storage-daemon. Its grace period is how long a daemon may take to write what it holds. */
  runner: ChildRunner;
  clock: Clock;
  random: Random;
  /** The whole environment beside {@link daemonEnvironment}; the daemon needs no other. */
  env?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
}

/** Disposing asks the daemon to end, then makes it; resolves when the process is gone. */
export interface StartedStorageDaemon extends AsyncDisposable {
  readonly daemon: StorageDaemon;
  /** Resolves when the process has ended, with what is to be said about it. Never rejects. */
  readonly ended: Promise<AppError>;
}

/**
 * Starts a storage daemon as our child and resolves when it is ready; it ends with us. A caller that wants it to outlive this process
 * starts it from `daemonArguments` and uses `connectStorageDaemon`.
 * @throws STORAGE_DAEMON_ENDED with its last lines of stderr, PROGRAM_NOT_STARTED, and as `connectStorageDaemon`
 */
export async function startStorageDaemon(options: StartStorageDaemonOptions): Promise<StartedStorageDaemon> {
  const { runner, clock, random, env = {}, signal } = options;
  const stop = new AbortController();
  const environment = { LC_ALL: 'C', ...daemonEnvironment, ...env };
  const run = runner.run({ args: daemonArguments(options), env: environment, signal: stop.signal });
  const ended = run.then(endOf, (error: AppError) => error);
  const gone = new AbortController();
  void ended.then((error) => gone.abort(error));
  const end = async () => {
    stop.abort();
    await ended;
  };
  try {
    const early = signal === undefined ? gone.signal : AbortSignal.any([gone.signal, signal]);
    const daemon = await connectStorageDaemon({
      monitorPath: options.monitorPath,
      clock,
      random,
      signal: early,
      lastWords: () => ended,
    });
    return { daemon, ended, [Symbol.asyncDispose]: () => quitOr(daemon, ended, end) };
  } catch (error) {
    await end();
    throw error;
  }
}

/** By the monitor where that answers: it then removes its socket and pid file. */
async function quitOr(daemon: StorageDaemon, ended: Promise<AppError>, end: () => Promise<void>): Promise<void> {
  await daemon.quit().then(
    () => ended,
    () => {},
  );
  await end();
}

/** Enough of stderr to see the reason. */
const linesMax = 5;

function endOf({ exitCode, endedBy, stderr }: ChildExit): AppError {
  const how = endedBy === undefined ? `with exit code ${exitCode ?? 'unknown'}` : `by ${endedBy}`;
  const said = stderr.trim().split('\n').slice(-linesMax).join('\n');
  return new AppError('STORAGE_DAEMON_ENDED', `qemu-storage-daemon has ended ${how}${said === '' ? '' : `: ${said}`}`, {
    details: { exitCode, endedBy },
  });
}
