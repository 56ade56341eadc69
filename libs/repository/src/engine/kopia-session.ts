import { join } from 'node:path';
import { writePrivateFile } from '@lateen/child-process';
import type { AppError } from '@lateen/errors';
import { type ClientIdentity, repositoryPrefix } from '../conventions/repository-names.ts';
import { disclosureOf } from './disclosure.ts';
import { engineFailure, type KnownFailure, repositoryFailures } from './engine-failure.ts';
import type { EngineExit, EngineProcess, EngineRun } from './engine-process.ts';
import type { GoRuntime } from './go-runtime.ts';
import { kopiaConfigFile } from './kopia-config.ts';
import { kopiaEnvironment } from './kopia-environment.ts';
import { type KopiaStorage, kopiaStorage } from './kopia-storage.ts';
import { providerVariables } from './provider-variables.ts';
import { redact } from './redact.ts';
import type { RepositoryTarget } from './repository-target.ts';
import { failuresAt } from './role-failures.ts';
import { makeSessionFiles, type SessionPlaces } from './session-files.ts';

export interface SessionOptions extends SessionPlaces {
  process: EngineProcess;
  /** Directory of kopia's cache; by default among the private files, and removed with them. */
  cacheDirectory?: string | undefined;
  runtime?: GoRuntime | undefined;
  /**
   * By default the identity of all clients, {@link import('../conventions/repository-names.ts').clientIdentity}, which owns
   * snapshots and maintenance.
   */
  identity?: ClientIdentity | undefined;
}

/** The streams, the files and the signal of {@link EngineRun}. */
export type SessionRun = Pick<EngineRun, 'stdin' | 'onStdout' | 'onStderr' | 'files' | 'signal'> & {
  /** Variables of this run, added to the session's. */
  variables?: Readonly<Record<string, string>>;
};

/** kopia, set up for one repository. `close` removes what it wrote; it is safe to repeat. */
export interface KopiaSession {
  readonly storage: KopiaStorage;
  /** `bucket "b", prefix "kopia/ns/", endpoint "host"`: for messages. */
  readonly where: string;
  run(args: readonly string[], options?: SessionRun): Promise<EngineExit>;
  /** The error for a run that failed, without any secrets. */
  failure(exit: EngineExit, doing: string, known?: readonly KnownFailure[]): AppError;
  /** Redacts the session's secrets; for engine output that goes to a log or a status. */
  redact(text: string): string;
  close(): Promise<void>;
}

/**
 * kopia must leave nothing behind after the session and must not do anything on its own: no log files, no key ring, no stored
 * password, no maintenance in the middle of a backup (machine.md section 7).
 */
const commonFlags = [
  '--disable-file-logging',
  '--disable-content-log',
  '--disable-repository-log',
  '--no-use-keyring',
  '--no-persist-credentials',
  '--no-auto-maintenance',
] as const;

/**
 * Writes the config file and returns kopia ready to run. Nothing is contacted yet. Two secrets are on disk, because kopia reads
 * them from nowhere else: an Azure key in the config file, and a Google key in a file of its own. `close` removes both.
 */
export async function openKopiaSession(target: RepositoryTarget, options: SessionOptions): Promise<KopiaSession> {
  const { location, password } = target;
  const prefix = repositoryPrefix(location.prefix, target.volumeNamespace);
  const files = await makeSessionFiles(options, 'udmrepo', location);
  const storage = kopiaStorage(location, prefix, files.credentialsFile);
  const configFile = join(files.secretsDirectory, `repo-${target.uid.toLowerCase()}.conf`);
  const cache = { directory: options.cacheDirectory ?? join(files.directory, 'cache'), limitMB: target.cacheLimitMB };
  await writePrivateFile(configFile, kopiaConfigFile(storage, cache, location.readOnly, options.identity)).catch(
    async (error: unknown) => {
      await files.remove();
      throw error;
    },
  );
  const provider = providerVariables(location, files, options.environment);
  const env = kopiaEnvironment({
    own: options.environment,
    home: files.directory,
    password,
    provider,
    runtime: options.runtime,
  });
  const { where, secrets } = disclosureOf(target, prefix, provider);
  return {
    storage,
    where,
    run: (args, { variables, ...run } = {}) =>
      options.process.run({
        args: [...args, `--config-file=${configFile}`, ...commonFlags],
        env: { ...env, ...variables },
        ...run,
      }),
    failure: (exit, doing, known = repositoryFailures) =>
      engineFailure(exit, failuresAt(location, known), {
        subject: { repository: where, doing },
        fallbackCode: 'ENGINE_FAILED',
        secrets,
      }),
    redact: (text) => redact(text, secrets),
    close: files.remove,
  };
}
