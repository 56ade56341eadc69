import { outputLines } from '@lateen/child-process';
import { type Clock, type Logger, orAborted, type Random } from '@lateen/kernel';
import { type EngineExit, type KopiaSession, ownerText } from '@lateen/repository';
import { tooSlow } from '../client/session-errors.ts';
import { sessionLimits } from '../client/session-limits.ts';
import { makeServerCertificate, memoryFile } from './server-certificate.ts';
import { isNoise, type ServerPlace, serverWords } from './server-words.ts';

export interface StartServerOptions {
  /** kopia under an identity of its own: see {@link import('../server-identity.ts').serverIdentity}. */
  kopia: KopiaSession;
  clock: Clock;
  random: Random;
  log: Logger;
  /** Ends the waiting for the start; the server that has started continues until `stop`. */
  signal: AbortSignal;
}

/** A repository server that listens. */
export interface RepositoryServer extends ServerPlace {
  /** `user@host`, by which it decides what a client may see. */
  user: string;
  /** Good for this process of the server alone. */
  password: string;
  /** How it ended, whenever it does. Never rejects. */
  readonly ended: Promise<EngineExit>;
  /** Ends it and resolves when it is gone. Safe to repeat. What was not flushed may be lost. */
  stop(): Promise<void>;
}

/**
 * No UI, no control API: the session is all that it serves. It listens on a free port of the loopback. It ends with us, however we end: its
 * standard input is a pipe of ours, which the kernel closes (`--shutdown-on-stdin`). It listens before it has opened the repository: otherwise
 * it looks each 500 ms whether that is open, so that every session would begin half a second later.
 */
const serverArgs = [
  'server',
  'start',
  '--address=127.0.0.1:0',
  '--shutdown-on-stdin',
  '--async-repo-connect',
  '--no-ui',
  '--no-control-api',
  '--no-persistent-logs',
  '--no-log-scheduler',
] as const;

/** Certificate and key in a file in memory, which the server gets as its descriptor 3. */
const givenCertificate = ['--tls-cert-file=/proc/self/fd/3', '--tls-key-file=/proc/self/fd/3'] as const;

/** A certificate that the server makes itself and prints; RSA 2048, as 4096 takes a second to make. */
const ownCertificate = ['--tls-generate-cert', '--tls-generate-rsa-key-size=2048', '--tls-print-server-cert'] as const;

/**
 * Starts `kopia server` and waits until it listens; it may not have opened the repository then (`beginWhenOpen`). Name and password of its only user are in its environment and nowhere else:
 * nothing is written to the repository, so nothing has to be removed from it.
 * @throws AppError as `kopia.failure` when it ends early (REPOSITORY_PASSWORD_WRONG, OBJECT_STORE_…), REPOSITORY_SERVER_SLOW;
 * PROGRAM_NOT_STARTED; the signal's reason on abort. Nothing runs then.
 */
export async function startRepositoryServer(options: StartServerOptions): Promise<RepositoryServer> {
  const { kopia, clock, random, log, signal } = options;
  const over = new AbortController();
  const place = Promise.withResolvers<ServerPlace>();
  const { certificate, key } = makeServerCertificate(clock.now());
  // Where there is no such memory, the server needs a little longer and makes its own certificate.
  const file = await memoryFile(certificate + key).catch(() => undefined);
  const words = serverWords(file === undefined ? undefined : certificate);
  const password = `${random.uuid()}${random.suffix(16)}`;
  const onLine = (line: string): void => {
    const found = words.push(line);
    if (found !== undefined) place.resolve(found);
    else if (!isNoise(line))
      log.debug({ line: kopia.redact(line).replaceAll(password, '***') }, 'the repository server says');
  };
  const running = kopia.run([...serverArgs, ...(file === undefined ? ownCertificate : givenCertificate)], {
    stdin: openUntilAborted(over.signal),
    files: file === undefined ? [] : [file.fd],
    onStderr: outputLines(onLine).push,
    signal: over.signal,
    variables: { KOPIA_SERVER_USERNAME: ownerText, KOPIA_SERVER_PASSWORD: password },
  });
  running.then(
    (exit) => place.reject(kopia.failure(exit, 'starting the repository server')),
    (error: unknown) => place.reject(error),
  );
  const stop = async (): Promise<void> => {
    over.abort();
    await running.catch(() => {});
  };
  try {
    const found = await orAborted(place.promise, AbortSignal.any([signal, clock.deadline(sessionLimits.repositoryMs)]));
    return { ...found, user: ownerText, password, ended: running, stop };
  } catch (error) {
    place.promise.catch(() => {});
    await stop();
    signal.throwIfAborted();
    if (error instanceof DOMException) throw tooSlow(kopia.where, error);
    throw error;
  } finally {
    await file?.close();
  }
}

/** Standard input that says nothing and stays open: its end would end the server. */
async function* openUntilAborted(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
