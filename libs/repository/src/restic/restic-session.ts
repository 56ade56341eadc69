import { join } from 'node:path';
import type { AppError } from '@lateen/errors';
import { disclosureOf } from '../engine/disclosure.ts';
import { engineFailure, type KnownFailure } from '../engine/engine-failure.ts';
import type { EngineExit, EngineRun } from '../engine/engine-process.ts';
import type { SessionOptions } from '../engine/kopia-session.ts';
import { redact } from '../engine/redact.ts';
import type { RepositoryTarget } from '../engine/repository-target.ts';
import { failuresAt } from '../engine/role-failures.ts';
import { makeSessionFiles } from '../engine/session-files.ts';
import { resticEnvironment } from './restic-environment.ts';
import { resticFailures } from './restic-failure.ts';
import { resticPlace } from './restic-place.ts';
import { checkResticReaches, resticFlags, resticVariables } from './restic-reach.ts';
import { checkResticTakesRole } from './restic-roles.ts';
import { plainStderr } from './restic-said.ts';

/** The streams, the working directory and the signal of {@link EngineRun}. */
export type ResticRun = Pick<EngineRun, 'stdin' | 'onStdout' | 'onStderr' | 'signal' | 'cwd'>;

/** restic, set up for one repository. `close` removes what it wrote; it is safe to repeat. */
export interface ResticSession {
  /** For BackupRepository.spec.resticIdentifier. */
  readonly identifier: string;
  /** `bucket "b", prefix "restic/ns/", endpoint "host"`: for messages. */
  readonly where: string;
  /** Nothing may be written to the repository, not even a lock. */
  readonly readOnly: boolean;
  run(args: readonly string[], options?: ResticRun): Promise<EngineExit>;
  /** The error for a run that failed, without any secrets. */
  failure(exit: EngineExit, doing: string, known?: readonly KnownFailure[]): AppError;
  /** Redacts the session's secrets; for engine output that goes to a log or a status. */
  redact(text: string): string;
  close(): Promise<void>;
}

/**
 * Returns restic ready to run: with a private directory for its temporary files and, unless another one is given, its cache;
 * everything else is passed by environment. Nothing is contacted yet. restic's cache holds metadata only and has no limit, so
 * `cacheLimitMB` has no effect on it. @throws LOCATION_INVALID, LOCATION_UNSUPPORTED
 */
export async function openResticSession(target: RepositoryTarget, options: SessionOptions): Promise<ResticSession> {
  const { password } = target;
  const { identifier, location, prefix } = resticPlace(target.location, target.volumeNamespace);
  checkResticReaches(location);
  checkResticTakesRole(location, options.environment);
  const files = await makeSessionFiles(options, 'restic', location);
  const flags = resticFlags(location, files);
  const provider = resticVariables(location, files, options.environment);
  const env = resticEnvironment({
    own: options.environment,
    home: files.directory,
    cacheDirectory: options.cacheDirectory ?? join(files.directory, 'cache'),
    identifier,
    password,
    provider,
    runtime: options.runtime,
  });
  const { where, secrets } = disclosureOf({ ...target, location }, prefix, provider);
  return {
    identifier,
    where,
    readOnly: location.readOnly,
    run: (args, run = {}) => {
      const more = flags.filter((flag) => !args.includes(flag));
      return options.process.run({ args: [...args, ...more], env, ...run });
    },
    failure: (exit, doing, known = resticFailures) =>
      engineFailure({ ...exit, stderr: plainStderr(exit.stderr) }, failuresAt(location, known), {
        subject: { repository: where, doing },
        fallbackCode: 'ENGINE_FAILED',
        secrets,
      }),
    redact: (text) => redact(text, secrets),
    close: files.remove,
  };
}
