import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { type TokenFile, tokenFile } from '@lateen/kube';
import type { ClusterConfig } from './load-kube-config.ts';

/** What the TLS connection is made with, in PEM. Connections are shared by all requests that agree on it. */
export interface TlsIdentity {
  ca?: string | undefined;
  cert?: string | undefined;
  key?: string | undefined;
  servername?: string | undefined;
  rejectUnauthorized?: boolean | undefined;
}

export interface Credentials {
  headers: Readonly<Record<string, string>>;
  tls: TlsIdentity;
}

/** Where credentials come from; files and plugins are asked again as they rotate. */
export interface CredentialSource {
  current(): Promise<Credentials>;
  /** After `refused` got a 401: true when there are other credentials by now. */
  refresh(refused: Credentials): Promise<boolean>;
}

/** Credentials that a plugin or OIDC hands out are asked for again after this long; client-node caches until expiry. */
const maxAgeMs = 60_000;

export interface CredentialDeps {
  clock: Clock;
  readFile: (path: string) => Promise<string>;
}

/** Credentials written in the configuration, or in files that it names; files are read again each minute. */
export function configuredCredentials(config: ClusterConfig, deps: CredentialDeps): CredentialSource {
  const { cluster, user } = config;
  const rotating = (path: string | undefined) =>
    path === undefined || path === '' ? undefined : tokenFile({ path, ...deps });
  const ca = rotating(cluster['certificate-authority']);
  const cert = rotating(user['client-certificate']);
  const key = rotating(user['client-key']);
  const token = rotating(user.tokenFile);
  const textOf = async (file: TokenFile | undefined, data: string | undefined) =>
    file === undefined ? decoded(data) : file.current();

  return {
    current: async () => ({
      headers: headersOf(user, token === undefined ? user.token : await token.current()),
      tls: {
        ca: await textOf(ca, cluster['certificate-authority-data']),
        cert: await textOf(cert, user['client-certificate-data']),
        key: await textOf(key, user['client-key-data']),
        ...tlsFlags(cluster),
      },
    }),
    refresh: async (refused) => {
      const used = refused.headers.authorization?.replace(/^Bearer /, '') ?? '';
      const renewed = await Promise.all([
        token?.refresh(used),
        cert?.refresh(refused.tls.cert ?? ''),
        key?.refresh(refused.tls.key ?? ''),
      ]);
      return renewed.includes(true);
    },
  };
}

export function tlsFlags(cluster: ClusterConfig['cluster']): TlsIdentity {
  return {
    servername: cluster['tls-server-name'],
    rejectUnauthorized: cluster['insecure-skip-tls-verify'] === true ? false : undefined,
  };
}

/** Remembers the credentials of a source that is slow to ask, and lets concurrent callers share one asking. */
export function cachedCredentials(ask: () => Promise<Credentials>, forget: () => void, clock: Clock): CredentialSource {
  let kept: { credentials: Credentials; askedMs: number } | undefined;
  let asking: Promise<Credentials> | undefined;
  const askOnce = () => {
    asking ??= ask()
      .then((credentials) => {
        kept = { credentials, askedMs: clock.monotonicMs() };
        return credentials;
      })
      .finally(() => {
        asking = undefined;
      });
    return asking;
  };
  const isOther = (one: Credentials, two: Credentials) => JSON.stringify(one) !== JSON.stringify(two);
  return {
    current: async () =>
      kept !== undefined && clock.monotonicMs() - kept.askedMs < maxAgeMs ? kept.credentials : askOnce(),
    refresh: async (refused) => {
      if (kept !== undefined && isOther(kept.credentials, refused)) return true;
      forget();
      return isOther(await askOnce(), refused);
    },
  };
}

function headersOf(user: ClusterConfig['user'], token: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  if (user.as !== undefined) headers['impersonate-user'] = user.as;
  if (token !== undefined && token !== '') headers.authorization = `Bearer ${token}`;
  else if (user.username !== undefined) {
    headers.authorization = `Basic ${Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64')}`;
  }
  return headers;
}

function decoded(data: string | undefined): string | undefined {
  if (data === undefined || data === '') return undefined;
  const text = Buffer.from(data, 'base64').toString('utf8');
  if (text.includes('-----BEGIN')) return text;
  throw new AppError('KUBECONFIG_INVALID', 'the kubeconfig holds certificate data that is not base64 of PEM', {
    nextStep: 'Correct certificate-authority-data, client-certificate-data and client-key-data',
  });
}
