import { namespaceType, type Pod, persistentVolumeClaimType, podType } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import { isNotFound, type KubeApi } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import { volumePath } from '../content/fill-volume.ts';

export const podName = 'app';
export const pvcName = 'data';

export interface WorkloadOptions {
  namespace: string;
  image: string;
  storageClass: string;
  volumeSize: string;
  /** False when the restore creates the PVC. */
  withPvc: boolean;
}

/** A namespace with a pod that has a volume, like a user's. */
export async function createWorkload(kube: KubeApi, options: WorkloadOptions, signal: AbortSignal): Promise<void> {
  const { namespace } = options;
  await kube.create(namespaceType, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, { signal });
  if (options.withPvc)
    await kube.create(
      persistentVolumeClaimType,
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { namespace, name: pvcName },
        spec: {
          accessModes: ['ReadWriteOnce'],
          storageClassName: options.storageClass,
          resources: { requests: { storage: options.volumeSize } },
        },
      },
      { signal },
    );
  await createPod(kube, options, signal);
}

async function createPod(kube: KubeApi, { namespace, image }: WorkloadOptions, signal: AbortSignal): Promise<void> {
  const container = {
    name: 'app',
    image,
    imagePullPolicy: 'IfNotPresent' as const,
    command: ['sleep', 'infinity'],
    volumeMounts: [{ name: 'data', mountPath: volumePath }],
  };
  await kube.create(
    podType,
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace, name: podName },
      spec: {
        containers: [container],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: pvcName } }],
        terminationGracePeriodSeconds: 0,
      },
    },
    { signal },
  );
}

export async function waitForPod(kube: KubeApi, namespace: string, clock: Clock, signal: AbortSignal): Promise<void> {
  await waitForObject({
    api: kube,
    type: podType,
    key: { namespace, name: podName },
    clock,
    signal,
    until: (pod) => (pod !== undefined && isPodReady(pod) ? true : undefined),
  });
}

export const isPodReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;

/** Deletes the namespace and waits until it is gone. It may not exist. */
export async function deleteNamespace(kube: KubeApi, name: string, clock: Clock, signal: AbortSignal): Promise<void> {
  try {
    await kube.delete(namespaceType, { name }, { signal });
  } catch (error) {
    if (isNotFound(error)) return;
    throw error;
  }
  await waitForObject({
    api: kube,
    type: namespaceType,
    key: { name },
    clock,
    signal,
    until: (seen) => (seen === undefined ? true : undefined),
  });
}
