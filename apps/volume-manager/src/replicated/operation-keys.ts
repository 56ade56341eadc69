import type { csi } from '@lateen/csi';
import type { InFlightKey } from '@lateen/grpc';
import { objectNameOf } from '@lateen/replicated-engine';
import { isVolumeId } from './volume-id.ts';

const byVolume = ({ volumeId }: { volumeId: string }): InFlightKey[] =>
  isVolumeId(volumeId) ? [{ id: volumeId, mode: 'exclusive' }] : [];

const byName = (kind: 'volume' | 'snapshot', name: string): InFlightKey[] => {
  const bytes = Buffer.byteLength(name);
  return bytes === 0 || bytes > 128 ? [] : [{ id: `${kind}/${objectNameOf(name)}`, mode: 'exclusive' }];
};

/**
 * The keys that each call of this process locks. Other processes are kept apart by the objects' versions; a second call of the same kind that runs
 * here at the same time would only wait for the same result.
 */
const table: Readonly<Record<string, (request: never) => InFlightKey[]>> = {
  createVolume: ({ name }: csi.CreateVolumeRequest) => byName('volume', name),
  createSnapshot: ({ name }: csi.CreateSnapshotRequest) => byName('snapshot', name),
  deleteVolume: byVolume,
  controllerExpandVolume: byVolume,
  controllerPublishVolume: byVolume,
  controllerUnpublishVolume: byVolume,
  nodeStageVolume: byVolume,
  nodeUnstageVolume: byVolume,
  nodePublishVolume: byVolume,
  nodeUnpublishVolume: byVolume,
  nodeExpandVolume: byVolume,
};

export const replicatedOperationKeys = (method: string, request: unknown): readonly InFlightKey[] =>
  table[method]?.(request as never) ?? [];
