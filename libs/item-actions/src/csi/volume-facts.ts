import { annotations, type VolumeSnapshot, type VolumeSnapshotContent } from '@lateen/api-types';
import { parseQuantity, wholeUnits } from '@lateen/kube';
import { handleOf } from '@lateen/volume-snapshots';
import type { VolumeFacts } from '../contract/action-context.ts';

/** The fields of a snapshot in the volume info file (object-store-layout.md section 5.5). */
export function snapshotFacts({
  snapshot,
  content,
}: {
  snapshot: VolumeSnapshot;
  content: VolumeSnapshotContent;
}): Omit<VolumeFacts, 'method' | 'dataMoved'> {
  const handle = handleOf(content);
  const group = snapshot.metadata.annotations?.[annotations.csiVolumeGroupSnapshotHandle];
  const sizeBytes = sizeOf(snapshot);
  return {
    driver: content.spec.driver,
    contentName: content.metadata.name ?? '',
    snapshotName: snapshot.metadata.name ?? '',
    readyToUse: snapshot.status?.readyToUse === true,
    ...(handle === undefined ? {} : { snapshotHandle: handle }),
    ...(group === undefined ? {} : { groupSnapshotHandle: group }),
    ...(sizeBytes === undefined ? {} : { sizeBytes }),
    object: snapshot,
  };
}

/** Some drivers report no size, or none until the snapshot is ready. */
function sizeOf({ status }: VolumeSnapshot): number | undefined {
  const size = parseQuantity(status?.restoreSize ?? '');
  return size === undefined ? undefined : Number(wholeUnits(size));
}
