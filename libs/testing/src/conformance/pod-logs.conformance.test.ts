import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { kubeApiOverHttp } from '@lateen/kube';
import { aPod } from '../builders/workloads.ts';
import { FakeClock } from '../clock/fake-clock.ts';
import { type FakeCluster, fakeCluster } from '../cluster/fake-cluster.ts';
import { plainHttpTransport } from '../http/plain-http-transport.ts';
import { serveFakeCluster } from '../http/serve-fake-cluster.ts';
import { describePodLogs, type PodLogsUnderTest } from './describe-pod-logs.ts';

const namespace = 'default';

/** Everything except `logs`: pods whose container the test simulates. */
function talkingPods(cluster: FakeCluster, clock: FakeClock): Omit<PodLogsUnderTest, 'logs' | 'close'> {
  let pods = 0;
  return {
    namespace,
    start: async () => {
      const key = { namespace, name: `pod-${pods++}` };
      cluster.put(aPod({ ...key, phase: 'Pending' }));
      cluster.setPodPhase(key, 'Running');
      return {
        key,
        container: 'main',
        write: (text) => cluster.podLogs.append(key, text, 'main'),
        end: () => void cluster.setPodPhase(key, 'Succeeded'),
      };
    },
    nextSecond: () => clock.advance(1_000),
  };
}

describePodLogs('the fake cluster, called directly', async () => {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock });
  return { ...talkingPods(cluster, clock), logs: cluster.podLogs, close: async () => {} };
});

describePodLogs('the fake cluster over HTTP', async () => {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock });
  const served = await serveFakeCluster(cluster);
  const transport = plainHttpTransport(served.url);
  const logs = kubeApiOverHttp({ transport, clock: systemClock, random: systemRandom, log: silentLogger });
  return { ...talkingPods(cluster, clock), logs, close: served.close };
});
