import { type GoRuntime, goVariables } from '../engine/go-runtime.ts';
import { passedOn } from '../engine/kopia-environment.ts';
import type { AwsCredentials } from '../location/aws-credentials.ts';

/** How often restic says where it is; callers see progress at least once a second (datapath, `Uploader`). */
const progressPerSecond = 2;

export interface ResticEnvironmentInput {
  /** Our own environment, as the app read it. */
  own: Readonly<Record<string, string | undefined>>;
  /** A directory of the session: restic packs blobs there before it sends them, and must not find anyone's settings. */
  home: string;
  cacheDirectory: string;
  /** See {@link import('./restic-place.ts').ResticPlace}. */
  identifier: string;
  region: string;
  password: string;
  credentials: AwsCredentials;
  runtime?: GoRuntime | undefined;
}

/** The environment is the only way a secret takes to restic. */
export function resticEnvironment(input: ResticEnvironmentInput): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of passedOn) {
    const value = input.own[name] ?? input.own[name.toLowerCase()];
    if (value !== undefined) env[name] = value;
  }
  env.HOME = input.home;
  env.TMPDIR = input.home;
  env.RESTIC_REPOSITORY = input.identifier;
  env.RESTIC_PASSWORD = input.password;
  env.RESTIC_CACHE_DIR = input.cacheDirectory;
  env.RESTIC_PROGRESS_FPS = String(progressPerSecond);
  env.AWS_ACCESS_KEY_ID = input.credentials.accessKeyId;
  env.AWS_SECRET_ACCESS_KEY = input.credentials.secretAccessKey;
  if (input.credentials.sessionToken !== undefined) env.AWS_SESSION_TOKEN = input.credentials.sessionToken;
  if (input.region !== '') env.AWS_DEFAULT_REGION = input.region;
  Object.assign(env, goVariables(input.runtime ?? {}));
  return env;
}
