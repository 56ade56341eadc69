import { kubeClient } from '@lateen/kube-client';
import { describeKubeApi } from '@lateen/testing';
import { compactHistory } from './compact-history.ts';
import { type ApiServerUnderTest, base, describeWithApiServer } from './with-api-server.ts';

/** Without this the API server answers old lists from its cache, so that compacted history would still be available. */
const args = ['--feature-gates=ListFromCacheSnapshot=false'];

const tests = (under: ApiServerUnderTest) => {
  const compact = () => compactHistory(under.server.etcdUrl);

  describeKubeApi('kube-client', async () => {
    const api = kubeClient({ config: under.config, ...base });
    return { api, namespace: await under.namespace(), compact, close: () => api.close() };
  });

  describeKubeApi('kube-in-cluster', async () => {
    const api = under.inCluster();
    return { api, namespace: await under.namespace(), compact, close: async () => api.close() };
  });
};

await describeWithApiServer('a real kube-apiserver', tests, { args });
