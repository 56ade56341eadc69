import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppError } from '@lateen/errors';
import { repositoryPrefix } from '../conventions/repository-names.ts';
import type { ResolvedLocation } from '../location/resolved-location.ts';
import { disclosureOf } from './disclosure.ts';
import { engineFailure, type KnownFailure, repositoryFailures } from './engine-failure.ts';
import type { EngineExit, EngineProcess, EngineRun } from './engine-process.ts';
import type { GoRuntime } from './go-runtime.ts';
import { type KopiaStorage, kopiaConfigFile, kopiaStorage } from './kopia-config.ts';
import { kopiaEnvironment } from './kopia-environment.ts';
import { redact } from './redact.ts';
import { makeSessionDirectory } from './session-directory.ts';

/** Which repository, and how it opens. Holds secrets: never log one. */
export interface RepositoryTarget {
  location: ResolvedLocation;
  volumeNamespace: string;
  /** Trimmed. */
  password: string;
  /** UID of the BackupRepository; names the config file as the reference does. */
  uid: string;
  cacheLimitMB: number;
}

export interface SessionOptions {
  process: EngineProcess;
  /** Private files go into a new directory below it (mode 0700). */
  workDirectory: string;
  /** Where kopia's cache goes; by default among the private files, removed with them. */
  cacheDirectory?: string | undefined;
  /** Our own environment, as the app read it. */
  environment: Readonly<Record<string, string | undefined>>;
  runtime?: GoRuntime | undefined;
}

/** The streams and the signal of {@link EngineRun}. */
export type SessionRun = Pick<EngineRun, 'stdin' | 'onStdout' | 'onStderr' | 'signal'>;

/** kopia, set up for one repository. `close` removes what it wrote; it is safe to repeat. */
export interface KopiaSession {
  readonly storage: KopiaStorage;
  /** `bucket "b", prefix "kopia/ns/", endpoint "host"`: for messages. */
  readonly where: string;
  run(args: readonly string[], options?: SessionRun): Promise<EngineExit>;
  /** The error for a run that did not end well; secrets are in none of it. */
  failure(exit: EngineExit, doing: string, known?: readonly KnownFailure[]): AppError;
  /** Blots out the session's secrets; for engine output that goes to a log or a status. */
  redact(text: string): string;
  close(): Promise<void>;
}

/**
 * Nothing of kopia's own may outlive the session or do what we did not ask for: no log files, no key ring, no stored
 * password, no maintenance in the middle of a backup (cluster-facts.md "Engine facts").
 */
const commonFlags = [
  '--disable-file-logging',
  '--disable-content-log',
  '--disable-repository-log',
  '--no-use-keyring',
  '--no-persist-credentials',
  '--no-auto-maintenance',
] as const;

/** Writes the config file (no key in it) and returns kopia ready to run. Nothing is contacted yet. */
export async function openKopiaSession(target: RepositoryTarget, options: SessionOptions): Promise<KopiaSession> {
  const { location, password } = target;
  const prefix = repositoryPrefix(location.prefix, target.volumeNamespace);
  const storage = kopiaStorage(location, prefix);
  const directory = await makeSessionDirectory(options.workDirectory, 'udmrepo');
  const configFile = join(directory, `repo-${target.uid.toLowerCase()}.conf`);
  const cache = { directory: options.cacheDirectory ?? join(directory, 'cache'), limitMB: target.cacheLimitMB };
  await writeFile(configFile, kopiaConfigFile(storage, cache, location.readOnly), { mode: 0o600 });
  const env = kopiaEnvironment({
    own: options.environment,
    home: directory,
    password,
    credentials: location.credentials,
    runtime: options.runtime,
  });
  const { where, secrets } = disclosureOf(target, prefix);
  return {
    storage,
    where,
    run: (args, run = {}) =>
      options.process.run({ args: [...args, `--config-file=${configFile}`, ...commonFlags], env, ...run }),
    failure: (exit, doing, known = repositoryFailures) =>
      engineFailure(exit, known, {
        subject: { repository: where, doing },
        fallbackCode: 'ENGINE_FAILED',
        secrets,
      }),
    redact: (text) => redact(text, secrets),
    close: () => rm(directory, { recursive: true, force: true }),
  };
}
