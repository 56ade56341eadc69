import { type GoRuntime, goVariables } from './go-runtime.ts';

/** The variables of our own environment that a child gets: those for finding programs and the network. */
export const passedOn = [
  'PATH',
  'TMPDIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
] as const;

export interface KopiaEnvironmentInput {
  /** Our own environment, as the app read it. */
  own: Readonly<Record<string, string | undefined>>;
  /** A directory of the session; kopia must not find another user's config, logs or keys. */
  home: string;
  password: string;
  /** See {@link import('./provider-variables.ts').providerVariables}. */
  provider: Readonly<Record<string, string>>;
  runtime?: GoRuntime | undefined;
}

/** The environment through which kopia gets its password and S3 keys. */
export function kopiaEnvironment(input: KopiaEnvironmentInput): Record<string, string> {
  const env: Record<string, string> = {
    HOME: input.home,
    KOPIA_PASSWORD: input.password,
    KOPIA_CHECK_FOR_UPDATES: 'false',
    ...goVariables(input.runtime ?? {}),
  };
  for (const name of passedOn) {
    // An empty variable counts as unset, as for our own stores (environmentProxies).
    const value = input.own[name] || input.own[name.toLowerCase()];
    if (value !== undefined) env[name] = value;
  }
  return Object.assign(env, input.provider);
}
