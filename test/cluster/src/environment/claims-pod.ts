import { labels, namespaceType, persistentVolumeClaimType, podType } from '@lateen/api-types';
import { podName } from '@lateen/demo';
import type { KubeApi } from '@lateen/kube';

/** A claim of the pod: a device at `/dev/NAME`, or files at `/NAME`. */
export interface PodClaim {
  name: string;
  storageClass: string;
  volumeMode: 'Block' | 'Filesystem';
  sizeBytes: number;
}

/**
 * A namespace with a pod that has these claims and no privileges; this does not wait for the pod. `isRestored`: the volumes come from a restore.
 * Their claims are as Velero's restore creates them: nothing else may be bound to them.
 */
export async function createClaimsPod(
  { kube, image }: { kube: KubeApi; image: string },
  namespace: string,
  claims: readonly PodClaim[],
  isRestored = false,
): Promise<void> {
  await kube.create(namespaceType, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  for (const { name, storageClass, volumeMode, sizeBytes } of claims) {
    const restored = { selector: { matchLabels: { [labels.dynamicPvRestore]: `${namespace}.${name}.abcde` } } };
    await kube.create(persistentVolumeClaimType, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { namespace, name },
      spec: {
        accessModes: ['ReadWriteOnce'],
        volumeMode,
        storageClassName: storageClass,
        resources: { requests: { storage: `${sizeBytes}` } },
        ...(isRestored ? restored : {}),
      },
    });
  }
  const ofMode = (mode: PodClaim['volumeMode']) => claims.filter(({ volumeMode }) => volumeMode === mode);
  await kube.create(podType, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name: podName },
    spec: {
      containers: [
        {
          name: 'app',
          image,
          imagePullPolicy: 'IfNotPresent',
          command: ['sleep', 'infinity'],
          volumeDevices: ofMode('Block').map(({ name }) => ({ name, devicePath: `/dev/${name}` })),
          volumeMounts: ofMode('Filesystem').map(({ name }) => ({ name, mountPath: `/${name}` })),
        },
      ],
      volumes: claims.map(({ name }) => ({ name, persistentVolumeClaim: { claimName: name } })),
      terminationGracePeriodSeconds: 0,
    },
  });
}
