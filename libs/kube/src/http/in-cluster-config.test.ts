import { expect, it } from 'vitest';
import { inClusterConfig } from './in-cluster-config.ts';

const env = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };
const missing = async () => {
  throw new Error('ENOENT');
};

it('reads the configuration that Kubernetes gives to every pod', async () => {
  expect(await inClusterConfig(env, async (path) => (path.endsWith('/namespace') ? 'velero\n' : ''))).toEqual({
    host: '10.96.0.1',
    port: 443,
    caFile: '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt',
    tokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
    namespace: 'velero',
  });
});

it.each([
  ['no host', { ...env, KUBERNETES_SERVICE_HOST: '' }],
  ['no port', { ...env, KUBERNETES_SERVICE_PORT: undefined }],
  ['an invalid port', { ...env, KUBERNETES_SERVICE_PORT: 'tcp://' }],
  ['no service account', env],
])('reports that this is not a pod: %s', async (_what, environment) => {
  await expect(inClusterConfig(environment, missing)).rejects.toMatchObject({ code: 'KUBE_NOT_IN_CLUSTER' });
});
