import type { KubeObject, PersistentVolume, VolumeSnapshotLocation } from '@lateen/api-types';
import type { ModelCloud } from '@lateen/native-snapshots/model-cloud';
import { aNamespace, aPersistentVolume, aPersistentVolumeClaim, aPod } from '@lateen/testing';

export const aSnapshotLocation = (
  name = 'disks',
  spec: Partial<VolumeSnapshotLocation['spec']> = {},
): VolumeSnapshotLocation => ({
  apiVersion: 'velero.io/v1',
  kind: 'VolumeSnapshotLocation',
  metadata: { name, namespace: 'velero' },
  spec: { provider: 'model', config: { region: 'eu' }, ...spec },
});

/** A PersistentVolume on a disk of the cloud, `vol-<name>` in zone `eu-1a`, bound to the claim of its name in `shop`. */
export function aDisk(name: string, parts: Parameters<typeof aPersistentVolume>[0] = {}): PersistentVolume {
  const labels = { 'topology.kubernetes.io/zone': 'eu-1a', disk: name };
  const volume = aPersistentVolume({ name: `pv-${name}`, labels, claim: { namespace: 'shop', name }, ...parts });
  const { csi: _, ...spec } = volume.spec;
  return { ...volume, spec: { ...spec, awsElasticBlockStore: { volumeID: `vol-${name}`, fsType: 'ext4' } } };
}

export const diskNames = ['data', 'logs'] as const;

/** The namespace `shop`: a pod that mounts two claims, each on a disk. */
export function shopOnDisks(annotations: Record<string, string> = {}): KubeObject[] {
  const volumes = diskNames.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const containers = [{ name: 'main', volumeMounts: diskNames.map((name) => ({ name, mountPath: `/${name}` })) }];
  return [
    aNamespace({ name: 'shop' }),
    aPod({ name: 'db', namespace: 'shop', phase: 'Running', annotations, spec: { volumes, containers } }),
    ...diskNames.flatMap((name) => [
      aPersistentVolumeClaim({ name, namespace: 'shop', uid: `uid-${name}`, volumeName: `pv-${name}` }),
      aDisk(name),
    ]),
  ];
}

/** Creates the disks of the claims in the cloud. */
export function makeDisks(cloud: ModelCloud): void {
  for (const name of diskNames)
    cloud.volumes.set(`vol-${name}`, { type: 'gp3', zone: 'eu-1a', iops: 3_000, content: `content of ${name}` });
}

export const ofShop = { includedNamespaces: ['shop'] };
