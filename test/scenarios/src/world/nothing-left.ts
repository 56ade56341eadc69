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
import { movementTypes } from './movement-types.ts';
import type { World } from './world.ts';

const ours: readonly string[] = [finalizers.dataUploadDownload, finalizers.podVolume];

/** Leaked objects and data, which no workload and no movement needs; empty when there are none. */
export function leftovers(world: World, kept: { volumes: readonly string[]; snapshots?: readonly string[] }): string[] {
  const { cluster, storage } = world;
  const named = (kind: string, names: (string | undefined)[]) => names.map((name) => `${kind} ${name}`);
  const movements = movementTypes.flatMap((type) => cluster.all(type));
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
      .filter((each) => each.metadata.finalizers?.some((name) => ours.includes(name)))
      .map((each) => `finalizer of ${each.metadata.name}`),
    ...movements
      .filter((each) => each.metadata.labels?.[labels.exposeOnGoing] !== undefined)
      .map((each) => `label of ${each.metadata.name}`),
  ];
}
