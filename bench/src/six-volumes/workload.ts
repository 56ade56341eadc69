import {
  namespaceType,
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  podType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { podName, podShell, waitForPod } from '@lateen/demo';
import type { RunningLateen } from '@lateen/installation';
import type { Clock } from '@lateen/kernel';
import { keyOf } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';

/** The volumes of the comparison with Velero: 612 MB and 5 × 12.5 MB. */
export const volumes: readonly { name: string; files: number; fileBytes: number; size: string }[] = [
  { name: 'large', files: 36, fileBytes: 17_000_000, size: '1Gi' },
  ...[1, 2, 3, 4, 5].map((number) => ({ name: `small-${number}`, files: 100, fileBytes: 125_000, size: '128Mi' })),
];

export interface SixVolumes {
  lateen: RunningLateen;
  clock: Clock;
  namespace: string;
  signal: AbortSignal;
}

/** A namespace with a pod that has all six volumes, each under `/data/<name>`. */
export async function createSixVolumes(context: SixVolumes, options: { dynamic: boolean }): Promise<void> {
  const { lateen, namespace, signal } = context;
  const { kube, storageClass, image } = lateen;
  await kube.create(namespaceType, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, { signal });
  for (const { name, size } of volumes) {
    const claim = claimOf(namespace, name, { size, storageClass });
    if (options.dynamic)
      claim.spec.selector = { matchLabels: { 'velero.io/dynamic-pv-restore': `${namespace}.${name}.bench` } };
    await kube.create(persistentVolumeClaimType, claim, { signal });
  }
  const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/data/${name}` }));
  await kube.create(
    podType,
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace, name: podName },
      spec: {
        containers: [
          { name: 'app', image, imagePullPolicy: 'IfNotPresent', command: ['sleep', 'infinity'], volumeMounts },
        ],
        volumes: volumes.map(({ name }) => ({ name, persistentVolumeClaim: { claimName: name } })),
        terminationGracePeriodSeconds: 0,
      },
    },
    { signal },
  );
  if (!options.dynamic) await waitForPod(kube, namespace, context.clock, signal);
}

function claimOf(
  namespace: string,
  name: string,
  { size, storageClass }: { size: string; storageClass: string },
): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace, name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: storageClass,
      resources: { requests: { storage: size } },
    },
  };
}

export const shellOf = ({ lateen, namespace, signal }: SixVolumes) =>
  podShell({ ...lateen, namespace, pod: podName, signal });

/** Random data, which can be neither compressed nor deduplicated. */
export async function fillSixVolumes(context: SixVolumes): Promise<void> {
  const lines = volumes.map(
    ({ name, files, fileBytes }) =>
      `cd /data/${name} && for i in $(seq ${files}); do head -c ${fileBytes} /dev/urandom > file-$i; done`,
  );
  await shellOf(context).run(['sh', '-ec', [...lines, 'sync'].join('\n')]);
}

/** One snapshot per volume, ready to use. Resolves with their names in the order of the volumes. */
export async function snapshotSixVolumes({ lateen, clock, namespace, signal }: SixVolumes): Promise<string[]> {
  const { kube } = lateen;
  return await Promise.all(
    volumes.map(async ({ name }) => {
      const snapshot = await kube.create(
        volumeSnapshotType,
        {
          apiVersion: 'snapshot.storage.k8s.io/v1',
          kind: 'VolumeSnapshot',
          metadata: { namespace, generateName: `${name}-` },
          spec: { volumeSnapshotClassName: lateen.storageClass, source: { persistentVolumeClaimName: name } },
        },
        { signal },
      );
      await waitForObject({
        api: kube,
        type: volumeSnapshotType,
        key: keyOf(snapshot),
        clock,
        signal,
        until: (seen) => (seen?.status?.readyToUse === true ? true : undefined),
      });
      return snapshot.metadata.name ?? '';
    }),
  );
}
