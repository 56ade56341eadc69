import type { KubeConfig } from '@kubernetes/client-node';
import type { ClusterConfig } from './load-kube-config.ts';

/**
 * The same cluster and user as a client-node KubeConfig, for what only client-node does: exec plugins, auth providers
 * and the exec protocol. Imported when first needed, and only the part that is: the whole package costs half a second
 * of CPU and 86 MB.
 */
export async function clientNodeConfig(config: ClusterConfig): Promise<KubeConfig> {
  const { KubeConfig: ClientNodeConfig } = await import('@kubernetes/client-node/dist/config.js');
  const loaded = new ClientNodeConfig();
  const { tokenFile, ...user } = config.user;
  const document = {
    clusters: [{ name: 'cluster', cluster: clusterOf(config) }],
    users: [{ name: 'user', user: tokenFile === undefined ? user : { ...user, ...fileProvider(tokenFile) } }],
    contexts: [{ name: config.context, context: { cluster: 'cluster', user: 'user', namespace: config.namespace } }],
    'current-context': config.context,
  };
  // JSON is YAML; going through the text gives the entries the shape that client-node wants.
  loaded.loadFromString(JSON.stringify(document));
  return loaded;
}

/** client-node refuses plain HTTP unless told that there is nothing to verify, which is so. */
function clusterOf({ cluster, server }: ClusterConfig) {
  return server.startsWith('http:') ? { ...cluster, 'insecure-skip-tls-verify': true } : cluster;
}

const fileProvider = (tokenFile: string) => ({ 'auth-provider': { name: 'tokenFile', config: { tokenFile } } });
