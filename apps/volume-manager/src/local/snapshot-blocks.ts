import { findSnapshot, recordExtents, type SnapshotRecord, type VolumeDeps } from '@lateen/volume';
import type { FoundSnapshot, SnapshotBlocks } from '../csi/snapshot-metadata-service.ts';

interface LocalSnapshot extends FoundSnapshot {
  readonly record: SnapshotRecord;
}

/**
 * Blocks of the snapshots of this node. While they are reported, the keys of the call block the deletion of both snapshots (`operation-keys.ts`).
 * Areas that two snapshots do not share on the disk may differ: where copies are plain (no reflink), that is all data of both.
 */
export function localSnapshotBlocks(deps: VolumeDeps): SnapshotBlocks<LocalSnapshot> {
  return {
    find: async (id) => {
      const record = findSnapshot(deps, id);
      return { volume: record.sourceVolumeId, sizeBytes: BigInt(record.sizeBytes), record };
    },
    extents: ({ record: snapshot }, { since, startBytes, signal }) =>
      recordExtents(deps, { snapshot, since: since?.record, startBytes }, signal),
  };
}
