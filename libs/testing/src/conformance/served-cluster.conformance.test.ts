import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { kubeApiOverHttp } from '@lateen/kube';
import { fakeCluster } from '../cluster/fake-cluster.ts';
import { plainHttpTransport } from '../http/plain-http-transport.ts';
import { serveFakeCluster } from '../http/serve-fake-cluster.ts';
import { describeKubeApi } from './describe-kube-api.ts';

describeKubeApi('the fake cluster over HTTP', async () => {
  const cluster = fakeCluster({ clock: systemClock, random: systemRandom, strict: true });
  const served = await serveFakeCluster(cluster);
  const transport = plainHttpTransport(served.url);
  return {
    api: kubeApiOverHttp({ transport, clock: systemClock, random: systemRandom, log: silentLogger }),
    namespace: 'default',
    garbageCollected: true,
    compact: () => void cluster.compact(),
    close: served.close,
  };
});
