import { type GoRuntime, goVariables } from './go-runtime.ts';

/** What a child may know of our own environment: how to find programs and the network, nothing else. */
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
  /** A directory of the session; kopia must not find the config, logs or keys of anyone else. */
  home: string;
  password: string;
  /** See {@link import('./provider-variables.ts').providerVariables}. */
  provider: Readonly<Record<string, string>>;
  runtime?: GoRuntime | undefined;
}

/** The way a password and S3 keys take to kopia. */
export function kopiaEnvironment(input: KopiaEnvironmentInput): Record<string, string> {
  const env: Record<string, string> = {
    HOME: input.home,
    KOPIA_PASSWORD: input.password,
    KOPIA_CHECK_FOR_UPDATES: 'false',
    ...goVariables(input.runtime ?? {}),
  };
  for (const name of passedOn) {
    // An empty one counts as none, as for our own stores (environmentProxies).
    const value = input.own[name] || input.own[name.toLowerCase()];
    if (value !== undefined) env[name] = value;
  }
  return Object.assign(env, input.provider);
}
