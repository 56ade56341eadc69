import { labels, namespaceType, persistentVolumeClaimType, podType } from '@lateen/api-types';
import { podName } from '@lateen/demo';
import type { KubeApi } from '@lateen/kube';

export interface DevicePodOptions {
  namespace: string;
  image: string;
  storageClass: string;
  /** Bytes of each claim, by its name. */
  volumes: Readonly<Record<string, number>>;
  /** The volumes come from a restore. Their claims are as Velero's restore creates them: nothing else may be bound to them. */
  isRestored: boolean;
}

/** A namespace with a pod that has block volumes as devices and no privileges. The device of claim `raw` is `/dev/raw`. */
export async function createDevicePod(kube: KubeApi, options: DevicePodOptions): Promise<void> {
  const { namespace, image, storageClass, volumes, isRestored } = options;
  const names = Object.keys(volumes);
  await kube.create(namespaceType, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  for (const [name, bytes] of Object.entries(volumes)) {
    const selector = { matchLabels: { [labels.dynamicPvRestore]: `${namespace}.${name}.abcde` } };
    await kube.create(persistentVolumeClaimType, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { namespace, name },
      spec: {
        accessModes: ['ReadWriteOnce'],
        volumeMode: 'Block',
        storageClassName: storageClass,
        resources: { requests: { storage: `${bytes}` } },
        ...(isRestored ? { selector } : {}),
      },
    });
  }
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
          volumeDevices: names.map((name) => ({ name, devicePath: `/dev/${name}` })),
        },
      ],
      volumes: names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
      terminationGracePeriodSeconds: 0,
    },
  });
}
