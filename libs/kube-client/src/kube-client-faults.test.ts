import { silentLogger } from '@lateen/kernel';
import { describeKubeApiFaults } from '@lateen/testing';
import { kubeClient } from './kube-client.ts';

describeKubeApiFaults('kube-client', ({ host, port, caFile, tokenFile, clock, random, limits }) => {
  const server = `https://${host}:${port}`;
  const config = {
    server,
    context: 'in-cluster',
    namespace: 'ns',
    source: 'test',
    cluster: { server, 'certificate-authority': caFile },
    user: { tokenFile },
    reload: () => Promise.resolve(config),
  };
  return kubeClient({ config, clock, random, log: silentLogger, limits });
});
