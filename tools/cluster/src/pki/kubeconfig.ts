import type { KeyPair } from '@lateen/certificates';
import { dump } from 'js-yaml';

export interface KubeconfigOptions {
  /** Name of cluster, user and context in the file. */
  name: string;
  server: string;
  authority: string;
  client: KeyPair;
}

/** A kubeconfig with everything inside it, so that the file can be moved. Contains a private key: write it with mode 0600. */
export function kubeconfig({ name, server, authority, client }: KubeconfigOptions): string {
  const base64 = (pem: string): string => Buffer.from(pem).toString('base64');
  return dump({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': base64(authority) } }],
    users: [
      {
        name,
        user: {
          'client-certificate-data': base64(client.certificate),
          'client-key-data': base64(client.key),
        },
      },
    ],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });
}
