import type { csi } from '@lateen/csi';
import { pageOf, type SnapshotRecord, type VolumeDeps } from '@lateen/volume';
import { snapshotMessage } from './csi-messages.ts';

/** Snapshots by ID, by volume, or all. An unknown ID gives an empty list (CSI: not an error). */
export function listSnapshots(deps: VolumeDeps, request: csi.ListSnapshotsRequest): csi.ListSnapshotsResponse {
  const matches = (record: SnapshotRecord) =>
    record.state === 'ready' &&
    (request.snapshotId === '' || record.id === request.snapshotId) &&
    (request.sourceVolumeId === '' || record.sourceVolumeId === request.sourceVolumeId);
  const page = pageOf(deps.store.snapshots().filter(matches), {
    entriesMax: request.maxEntries,
    token: request.startingToken,
  });
  return {
    entries: page.entries.map((record) => ({ snapshot: snapshotMessage(record) })),
    nextToken: page.nextToken ?? '',
  };
}
