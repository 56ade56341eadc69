import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAuthority, issue } from '@lateen/certificates';
import { systemClock } from '@lateen/kernel';
import { type FakeCluster, serveFakeCluster } from '@lateen/testing';

/** Serves a cluster to a program as in a pod: address in the environment, service account in files. Dispose to stop it. */
export async function clusterForProgram(cluster: FakeCluster, directory: string, namespace: string) {
  const nowMs = systemClock.now();
  const authority = await createAuthority('test cluster', nowMs);
  const { certificate, key } = await issue(authority, { subject: 'CN=server', ipAddresses: ['127.0.0.1'] }, nowMs);
  const api = await serveFakeCluster(cluster, { tls: { cert: certificate, key } });
  const account = join(directory, 'account');
  await mkdir(account);
  await writeFile(join(account, 'ca.crt'), authority.certificate);
  await writeFile(join(account, 'token'), 'token');
  await writeFile(join(account, 'namespace'), namespace);
  const env = {
    KUBERNETES_SERVICE_HOST: '127.0.0.1',
    KUBERNETES_SERVICE_PORT: String(api.port),
    LATEEN_SERVICE_ACCOUNT: account,
    VELERO_NAMESPACE: namespace,
  };
  return { env, [Symbol.asyncDispose]: () => api.close() };
}
