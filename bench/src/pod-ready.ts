import { podType } from '@lateen/api-types';
import type { RunningLateen } from '@lateen/installation';
import { type Clock, systemRandom } from '@lateen/kernel';
import { waitForObject } from '@lateen/kube-runtime';

/** Time from the creation of a plain pod with Lateen's image until it is Ready, ms: the minimum cost of a hosting pod on this cluster. */
export async function podReadyMs(lateen: RunningLateen, clock: Clock, signal: AbortSignal): Promise<number> {
  const key = { namespace: lateen.veleroNamespace, name: `bench-pod-${systemRandom.suffix(5)}` };
  const startMs = clock.monotonicMs();
  await lateen.kube.create(
    podType,
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: key,
      spec: {
        containers: [
          { name: 'pause', image: lateen.image, imagePullPolicy: 'IfNotPresent', command: ['sleep', 'infinity'] },
        ],
        terminationGracePeriodSeconds: 0,
      },
    },
    { signal },
  );
  try {
    await waitForObject({
      api: lateen.kube,
      type: podType,
      key,
      clock,
      signal,
      until: (pod) =>
        pod?.status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') ? true : undefined,
    });
    return clock.monotonicMs() - startMs;
  } finally {
    await lateen.kube.delete(podType, key);
  }
}
