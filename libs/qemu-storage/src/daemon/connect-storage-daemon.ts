import { type AppError, isAppError } from '@lateen/errors';
import { type Clock, type Random, retry } from '@lateen/kernel';
import { connectQmp } from '../qmp/connect-qmp.ts';
import { checkDaemon } from './check-daemon.ts';
import { openedDaemon, type StorageDaemon } from './storage-daemon.ts';

export interface ConnectStorageDaemonOptions {
  /** Unix socket of the daemon's monitor. */
  monitorPath: string;
  clock: Clock;
  random: Random;
  signal?: AbortSignal | undefined;
  /** The last output of the process, if this process has started it. */
  lastWords?: () => Promise<AppError>;
}

/** A daemon listens a tenth of a second after its start; on a busy node it has taken seconds. */
export const daemonReadyMs = 20_000;
const pollMs = { firstMs: 20, maxMs: 500, factor: 1.5, jitter: 0.2 };

/**
 * The daemon that listens on a monitor, one that was just started or one that runs already, when it is ready and has all that we
 * use. Also the readiness check for a caller that starts the process with `daemonArguments`.
 * @throws QMP_NOT_REACHABLE (after {@link daemonReadyMs}), QMP_SILENT (another client has the monitor), STORAGE_DAEMON_UNFIT
 */
export async function connectStorageDaemon(options: ConnectStorageDaemonOptions): Promise<StorageDaemon> {
  const { monitorPath: path, clock, random, signal, lastWords } = options;
  const policy = {
    backoff: pollMs,
    budgetMs: daemonReadyMs,
    mayRetry: (error: unknown) => isAppError(error, 'QMP_NOT_REACHABLE'),
  };
  const connect = () => connectQmp({ path, clock, signal, ...(lastWords === undefined ? {} : { lastWords }) });
  const qmp = await retry({ clock, random }, policy, connect, signal);
  try {
    const check = await checkDaemon(qmp, qmp.version, { signal });
    return openedDaemon(qmp, check, clock);
  } catch (error) {
    await qmp[Symbol.asyncDispose]();
    throw error;
  }
}
