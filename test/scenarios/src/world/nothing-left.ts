import {
  finalizers,
  labels,
  labelValues,
  persistentVolumeClaimType,
  persistentVolumeType,
  podType,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import type { World } from './world.ts';

/** What has leaked: objects and data that exist although no workload and no movement needs them; empty when all is well. */
export function leftovers(world: World, kept: { volumes: readonly string[]; snapshots?: readonly string[] }): string[] {
  const { cluster, storage } = world;
  const named = (kind: string, names: (string | undefined)[]) => names.map((name) => `${kind} ${name}`);
  const movements = [world.upload(), world.download()].filter((each) => each !== undefined);
  return [
    ...named(
      'pod',
      cluster
        .all(podType, 'velero')
        .filter((each) => each.metadata.labels?.[labels.name] !== labelValues.nodeAgent)
        .map((each) => each.metadata.name),
    ),
    ...named(
      'claim',
      cluster.all(persistentVolumeClaimType, 'velero').map((each) => each.metadata.name),
    ),
    ...named(
      'snapshot',
      cluster.all(volumeSnapshotType).map((each) => each.metadata.name),
    ),
    ...named(
      'content',
      cluster.all(volumeSnapshotContentType).map((each) => each.metadata.name),
    ),
    ...named(
      'data of snapshot',
      [...storage.snapshots].filter((each) => !kept.snapshots?.includes(each)),
    ),
    ...named(
      'data of volume',
      [...storage.volumes].filter((each) => !kept.volumes.includes(each)),
    ),
    ...named(
      'volume',
      cluster
        .all(persistentVolumeType)
        .filter((each) => !kept.volumes.includes(each.spec.csi?.volumeHandle ?? ''))
        .map((each) => each.metadata.name),
    ),
    ...movements
      .filter((each) => each.metadata.finalizers?.includes(finalizers.dataUploadDownload))
      .map((each) => `finalizer of ${each.metadata.name}`),
    ...movements
      .filter((each) => each.metadata.labels?.[labels.exposeOnGoing] !== undefined)
      .map((each) => `label of ${each.metadata.name}`),
  ];
}
