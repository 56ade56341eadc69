import type { csi } from '@lateen/csi';
import type { InFlightKey } from '@lateen/grpc';
import { idForName } from '@lateen/volume';
import { readSource } from '../csi/request-fields.ts';

const byVolume = ({ volumeId }: { volumeId: string }): InFlightKey[] =>
  volumeId === '' ? [] : [{ id: volumeId, mode: 'exclusive' }];

const reading = (...ids: readonly string[]): InFlightKey[] =>
  ids.filter((id) => id !== '').map((id) => ({ id, mode: 'shared' }));

/**
 * The keys that each call locks. Copying from a snapshot only reads it, so many copies may run; copying from a volume freezes it, so only one may
 * run. Reading calls (lists, statistics, capabilities) lock nothing.
 */
export function operationKeys(nodeId: string): (method: string, request: unknown) => readonly InFlightKey[] {
  const table: Record<string, (request: never) => InFlightKey[]> = {
    createVolume: (request: csi.CreateVolumeRequest) => {
      const source = readSource(request.volumeContentSource);
      const own: InFlightKey = { id: idForName('volume', request.name, nodeId), mode: 'exclusive' };
      if (source === undefined) return [own];
      return [own, { id: source.id, mode: source.kind === 'snapshot' ? 'shared' : 'exclusive' }];
    },
    createSnapshot: (request: csi.CreateSnapshotRequest) => [
      { id: idForName('snapshot', request.name, nodeId), mode: 'exclusive' },
      ...byVolume({ volumeId: request.sourceVolumeId }),
    ],
    deleteSnapshot: (request: csi.DeleteSnapshotRequest) => byVolume({ volumeId: request.snapshotId }),
    // Locked while the stream lasts, so that the reported snapshots are not deleted.
    getMetadataAllocated: ({ snapshotId }: csi.GetMetadataAllocatedRequest) => reading(snapshotId),
    getMetadataDelta: ({ baseSnapshotId, targetSnapshotId }: csi.GetMetadataDeltaRequest) =>
      reading(baseSnapshotId, targetSnapshotId),
    deleteVolume: byVolume,
    controllerExpandVolume: byVolume,
    nodeStageVolume: byVolume,
    nodeUnstageVolume: byVolume,
    nodePublishVolume: byVolume,
    nodeUnpublishVolume: byVolume,
    nodeExpandVolume: byVolume,
  };
  return (method, request) => table[method]?.(request as never) ?? [];
}
