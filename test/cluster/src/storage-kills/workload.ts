import { type Pod, podType } from '@lateen/api-types';
import type { KubeApi, KubeObject, ResourceType } from '@lateen/kube';
import { podProcesses } from '../kills/pod-processes.ts';

export const statefulSetType: ResourceType<KubeObject> = {
  group: 'apps',
  version: 'v1',
  resource: 'statefulsets',
  kind: 'StatefulSet',
  namespaced: true,
};

export const workloadName = 'writer';
const labels = { app: workloadName };

/** Has the volume mounted, and is created again when its pod is deleted. Writers run outside of the pod, in its mount. */
export const workloadSet = (where: {
  namespace: string;
  image: string;
  claim: string;
}): KubeObject & Record<'spec', unknown> => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { namespace: where.namespace, name: workloadName },
  spec: {
    serviceName: workloadName,
    replicas: 1,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: 'main',
            image: where.image,
            imagePullPolicy: 'IfNotPresent',
            command: ['sleep', 'infinity'],
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
          },
        ],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: where.claim } }],
      },
    },
  },
});

export async function workloadPod(kube: KubeApi, namespace: string, signal: AbortSignal): Promise<Pod | undefined> {
  const { items } = await kube.list(podType, { namespace, labelSelector: `app=${workloadName}`, signal });
  return items.find(({ status, metadata }) => status?.phase === 'Running' && metadata.deletionTimestamp === undefined);
}

/** The mount point of the volume, seen from this host: in the mount namespace of the pod's process. Undefined while no pod runs. */
export async function mountedAt(kube: KubeApi, namespace: string, signal: AbortSignal): Promise<string | undefined> {
  const pod = await workloadPod(kube, namespace, signal);
  const processes = await podProcesses(pod?.metadata.uid ?? 'none');
  const main = processes.find(({ command }) => command.startsWith('sleep '));
  return main === undefined ? undefined : `/proc/${main.pid}/root/data`;
}
