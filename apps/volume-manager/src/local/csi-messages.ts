import type { csi } from '@lateen/csi';
import type { SnapshotRecord, VolumeRecord } from '@lateen/volume';
import { topologyOf } from '../csi/request-fields.ts';

export function volumeMessage(record: VolumeRecord, nodeId: string): csi.Volume {
  return {
    volumeId: record.id,
    capacityBytes: BigInt(record.capacityBytes),
    volumeContext: {},
    contentSource: sourceMessage(record),
    accessibleTopology: [topologyOf(nodeId)],
  };
}

function sourceMessage({ source }: VolumeRecord): csi.VolumeContentSource | undefined {
  if (source === undefined) return undefined;
  return source.kind === 'snapshot' ? { snapshot: { snapshotId: source.id } } : { volume: { volumeId: source.id } };
}

export function snapshotMessage(record: SnapshotRecord): csi.Snapshot {
  return {
    snapshotId: record.id,
    sourceVolumeId: record.sourceVolumeId,
    sizeBytes: BigInt(record.sizeBytes),
    creationTime: dateOf(record.createdAtMs),
    readyToUse: true,
    groupSnapshotId: '',
  };
}

/** A recorded time as the generated code wants it; nothing is read from the clock here. */
const dateOf = (epochMs: number) => new Date(epochMs);
