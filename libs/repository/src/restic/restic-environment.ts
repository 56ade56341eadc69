import { type GoRuntime, goVariables } from '../engine/go-runtime.ts';
import { passedOn } from '../engine/kopia-environment.ts';

/** How often restic prints its progress; callers get progress at least once a second (datapath, `Uploader`). */
const progressPerSecond = 2;

export interface ResticEnvironmentInput {
  /** Our own environment, as the app read it. */
  own: Readonly<Record<string, string | undefined>>;
  /** A directory of the session: restic packs blobs there before it sends them, and must not find another user's settings. */
  home: string;
  cacheDirectory: string;
  /** See {@link import('./restic-override.ts').ResticPlace}. */
  identifier: string;
  password: string;
  /** The variables with which restic accesses the location. */
  provider: Readonly<Record<string, string>>;
  runtime?: GoRuntime | undefined;
}

/** The environment through which restic gets its secrets; only a Google key is in a file, whose name is here. */
export function resticEnvironment(input: ResticEnvironmentInput): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of passedOn) {
    const value = input.own[name] || input.own[name.toLowerCase()];
    if (value !== undefined) env[name] = value;
  }
  env.HOME = input.home;
  env.TMPDIR = input.home;
  env.RESTIC_REPOSITORY = input.identifier;
  env.RESTIC_PASSWORD = input.password;
  env.RESTIC_CACHE_DIR = input.cacheDirectory;
  env.RESTIC_PROGRESS_FPS = String(progressPerSecond);
  return Object.assign(env, goVariables(input.runtime ?? {}), input.provider);
}
