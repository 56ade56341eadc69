import { type Pod, podType } from '@lateen/api-types';
import { systemClock, systemRandom } from '@lateen/kernel';
import { keyOf } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import { describePodExec } from '@lateen/testing';
import { lateenUnderTest } from './environment/provided-lateen.ts';

const container = 'main';
const startMsMax = 120_000;

describePodExec('a real kubelet, through kube-client', async () => {
  const { kube, image } = await lateenUnderTest();
  const metadata = { name: `obeys-${systemRandom.suffix(5)}`, namespace: 'default' };
  const main = { name: container, image, imagePullPolicy: 'Never' as const, command: ['sleep', 'infinity'] };
  const spec = { restartPolicy: 'Never' as const, terminationGracePeriodSeconds: 0, containers: [main] };
  const pod = keyOf(await kube.create(podType, { apiVersion: 'v1', kind: 'Pod', metadata, spec }));
  await waitForObject<Pod, true>({
    api: kube,
    type: podType,
    key: pod,
    clock: systemClock,
    signal: systemClock.deadline(startMsMax),
    until: (seen) => seen?.status?.phase === 'Running' || undefined,
  });
  const deletePod = () => kube.delete(podType, pod, { gracePeriodSeconds: 0 });
  return {
    exec: kube,
    pod,
    container,
    endPod: deletePod,
    close: async () => {
      // Already gone when the tests passed.
      await deletePod().catch(() => {});
      await kube.close();
    },
  };
});
