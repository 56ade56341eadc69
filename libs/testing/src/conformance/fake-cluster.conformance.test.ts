import { systemClock, systemRandom } from '@lateen/kernel';
import { fakeCluster } from '../cluster/fake-cluster.ts';
import { describeKubeApi } from './describe-kube-api.ts';

describeKubeApi('the fake cluster, called directly', async () => {
  const cluster = fakeCluster({ clock: systemClock, random: systemRandom, strict: true });
  return {
    api: cluster,
    namespace: 'default',
    garbageCollected: true,
    compact: () => void cluster.compact(),
    close: async () => {},
  };
});
