import { type Clock, type Logger, type Random, unlessAborted } from '@lateen/kernel';
import { type KopiaSession, openKopiaSession, type RepositoryTarget, type SessionOptions } from '@lateen/repository';
import { beginWhenOpen } from './client/begin-when-open.ts';
import { connectSession } from './client/connect-session.ts';
import type { ServerSession } from './client/server-session.ts';
import { beginSession } from './client/session-client.ts';
import { sessionLost } from './client/session-errors.ts';
import { sessionLimits } from './client/session-limits.ts';
import { SessionStream } from './client/session-stream.ts';
import { checkKopiaVersion } from './server/kopia-version.ts';
import { type RepositoryServer, startRepositoryServer } from './server/start-server.ts';
import { serverIdentity } from './server-identity.ts';

export interface OpenServerSession {
  target: RepositoryTarget;
  /** As for kopia's other runs; `runtime` limits the memory of the server. */
  engine: SessionOptions;
  clock: Clock;
  random: Random;
  log: Logger;
  /** For kopia's own log: `splicing shop/data`. */
  purpose: string;
}

/**
 * Starts a repository server for one client and begins a session with it.
 * @throws AppError REPOSITORY_SERVER_UNSUPPORTED for a kopia that is not known to work; REPOSITORY_PASSWORD_WRONG, OBJECT_STORE_… as
 * every run of kopia; REPOSITORY_SESSION_LOST (retry `soon`); the signal's reason on abort. Nothing runs and no file is left then.
 */
export async function openServerSession(options: OpenServerSession, signal: AbortSignal): Promise<ServerSession> {
  const kopia = await openKopiaSession(options.target, { ...options.engine, identity: serverIdentity });
  const refused = new AbortController();
  const started = startRepositoryServer({ ...options, kopia, signal: AbortSignal.any([signal, refused.signal]) });
  // Another version may refuse an argument of the server: then the version is the reason.
  started.catch(() => {});
  try {
    await checkKopiaVersion(kopia, signal);
    return await serverSession(kopia, await started, options, signal);
  } catch (error) {
    refused.abort(error);
    const server = await started.catch(() => undefined);
    await server?.stop();
    await kopia.close();
    throw error;
  }
}

async function serverSession(
  kopia: KopiaSession,
  server: RepositoryServer,
  { clock, random, purpose }: OpenServerSession,
  signal: AbortSignal,
): Promise<ServerSession> {
  const connection = connectSession(server);
  const explain = async () => {
    const exit = await unlessAborted(server.ended, clock.deadline(sessionLimits.endedMs));
    return exit === undefined ? undefined : kopia.failure(exit, 'serving the repository');
  };
  const begin = async (stop: AbortSignal) => {
    const stream = new SessionStream(connection.open(), clock, explain);
    try {
      return { stream, requests: await beginSession(stream, kopia, { purpose, signal: stop }) };
    } catch (error) {
      stream.lose(sessionLost('it has not begun'));
      throw error;
    }
  };
  const check = (stop: AbortSignal) => openedByOther(kopia, stop);
  try {
    const opening = { clock, random, where: kopia.where, begin, check };
    const { stream, requests } = await beginWhenOpen(opening, signal);
    const close = async (): Promise<void> => {
      stream.lose(sessionLost('it was closed'));
      connection.close();
      await server.stop();
      await kopia.close();
    };
    return { ...requests, over: stream.over, close };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** @throws why the program cannot open the repository */
async function openedByOther(kopia: KopiaSession, signal: AbortSignal): Promise<void> {
  const exit = await kopia.run(['repository', 'status'], { signal });
  if (exit.exitCode !== 0) throw kopia.failure(exit, 'opening the repository for its server');
}
