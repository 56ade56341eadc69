import { silentLogger } from '@lateen/kernel';
import { describeKubeApiFaults } from '@lateen/testing';
import { kubeInCluster } from './kube-in-cluster.ts';

describeKubeApiFaults('kube-in-cluster', ({ host, port, caFile, tokenFile, clock, random, limits }) =>
  kubeInCluster({
    config: { host, port, caFile, tokenFile, namespace: 'ns' },
    clock,
    random,
    log: silentLogger,
    limits,
  }),
);
