import { readFile } from 'node:fs/promises';
import type { Clock } from '@lateen/kernel';
import { type InClusterConfig, tokenFile } from '@lateen/kube';

/** An API server reached with a client certificate, in PEM; for tests and for running outside of a cluster. */
export interface ClientCertificateConfig {
  host: string;
  port: number;
  ca: string;
  cert: string;
  key: string;
}

/** What one request is sent with. */
export interface Identity {
  ca: string;
  cert?: string;
  key?: string;
  token?: string;
}

export interface IdentitySource {
  current(): Promise<Identity>;
  /** After `refused` got a 401: true when there is another token by now. */
  refresh(refused: Identity): Promise<boolean>;
}

/** Token and CA are read again each minute: kubelet replaces both while we run. */
export function identitySource(config: InClusterConfig | ClientCertificateConfig, clock: Clock): IdentitySource {
  if (!('tokenFile' in config)) {
    const { ca, cert, key } = config;
    return { current: async () => ({ ca, cert, key }), refresh: async () => false };
  }
  const file = (path: string) => tokenFile({ path, clock, readFile: (name) => readFile(name, 'utf8') });
  const ca = file(config.caFile);
  const token = file(config.tokenFile);
  return {
    current: async () => ({ ca: await ca.current(), token: await token.current() }),
    refresh: (refused) => token.refresh(refused.token ?? ''),
  };
}
