import type { ClusterEntry, UserEntry } from './kubeconfig-file.ts';
import type { ClusterConfig } from './load-kube-config.ts';

/** The configuration for a test's own server. Only tests use it. */
export function configForTests(
  server: { url: string; ca: string },
  parts: { cluster?: Partial<ClusterEntry> | undefined; user?: UserEntry | undefined } = {},
): ClusterConfig {
  const authority = Buffer.from(server.ca).toString('base64');
  const cluster = { server: server.url, 'certificate-authority-data': authority, ...parts.cluster };
  const config: ClusterConfig = {
    server: cluster.server,
    context: 'test',
    namespace: 'velero',
    source: 'a test',
    cluster,
    user: parts.user ?? {},
    reload: () => Promise.resolve(config),
  };
  return config;
}
