import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { clientNodeConfig } from './client-node-config.ts';
import { type CredentialSource, type Credentials, cachedCredentials, tlsFlags } from './credentials.ts';
import type { ClusterConfig } from './load-kube-config.ts';

/** Exec plugins and auth providers (OIDC, cloud logins) are client-node's work; it is loaded only for them. */
export function needsPlugin(config: ClusterConfig): boolean {
  return config.user.exec !== undefined || config.user['auth-provider'] !== undefined;
}

/**
 * Credentials from an exec plugin or auth provider. They are cached by client-node until they expire; a 401 drops that
 * cache by loading the configuration again.
 * @throws KUBE_PLUGIN_FAILED naming the plugin
 */
export function pluginCredentials(config: ClusterConfig, clock: Clock): CredentialSource {
  let loaded: Promise<KubeConfig> | undefined;
  const ask = async (): Promise<Credentials> => {
    loaded ??= config.reload().then(clientNodeConfig);
    try {
      const options: RequestOptions = {};
      await (await loaded).applyToHTTPSOptions(options);
      return credentialsOf(options, config);
    } catch (cause) {
      loaded = undefined;
      const plugin = config.user.exec?.command ?? 'the auth provider';
      throw new AppError('KUBE_PLUGIN_FAILED', `credentials for ${config.server} cannot be had from ${plugin}`, {
        cause,
        nextStep: `Run the plugin by hand, or log in again, and check user of context "${config.context}" in ${config.source}`,
      });
    }
  };
  const forget = () => {
    loaded = undefined;
  };
  return cachedCredentials(ask, forget, clock);
}

/** Only the parts that are data; the agent that client-node makes on the side is never used. */
function credentialsOf(options: RequestOptions, config: ClusterConfig): Credentials {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = String(value);
  const pem = (value: unknown) => (value === undefined || value === null ? undefined : String(value));
  return {
    headers,
    tls: { ca: pem(options.ca), cert: pem(options.cert), key: pem(options.key), ...tlsFlags(config.cluster) },
  };
}
