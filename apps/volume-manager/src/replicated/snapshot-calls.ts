import type { BlockEngine } from '@lateen/block-engine';
import type { csi } from '@lateen/csi';
import { objectNameOf, type VolumeBackups } from '@lateen/replicated-engine';
import { volumeError } from '@lateen/volume';
import { readSnapshotClass, readSnapshotHandle, type SnapshotHandle, snapshotHandle } from './snapshot-handle.ts';
import { requiredVolumeId } from './volume-id.ts';

export interface SnapshotPorts {
  readonly engine: BlockEngine;
  readonly backups: VolumeBackups;
}

/**
 * A snapshot in the volume exists when the call ends. For a snapshot that is a backup, the sidecar repeats the call while `ready_to_use` is false,
 * until the backup is complete.
 */
export async function createSnapshot(
  { engine, backups }: SnapshotPorts,
  request: csi.CreateSnapshotRequest,
  signal: AbortSignal,
): Promise<csi.CreateSnapshotResponse> {
  if (request.name === '') throw volumeError('INVALID_ARGUMENT', 'name is missing');
  if (request.sourceVolumeId === '') throw volumeError('INVALID_ARGUMENT', 'source_volume_id is missing');
  const { type, backupMode: mode } = readSnapshotClass(request.parameters);
  const volume = requiredVolumeId(request.sourceVolumeId);
  if (type === 'snap') {
    const taken = await engine.snapshot(volume, request.name, { signal, freeze: 'whenMounted' });
    const handle: SnapshotHandle = { type, volume, name: objectNameOf(request.name) };
    return { snapshot: messageOf(handle, { ...taken, isComplete: true }) };
  }
  const made = await backups.backUp(volume, request.name, { signal, mode });
  return { snapshot: messageOf({ type, volume, name: made.name }, made) };
}

export async function deleteSnapshot(
  { engine, backups }: SnapshotPorts,
  { snapshotId }: csi.DeleteSnapshotRequest,
  signal: AbortSignal,
): Promise<csi.DeleteSnapshotResponse> {
  if (snapshotId === '') throw volumeError('INVALID_ARGUMENT', 'snapshot_id is missing');
  const handle = readSnapshotHandle(snapshotId);
  if (handle?.type === 'snap') await engine.deleteSnapshot(handle.volume, handle.name, { signal });
  if (handle?.type === 'bak') await backups.delete(handle.volume, handle.name, { signal });
  return {};
}

function messageOf(
  handle: SnapshotHandle,
  of: { readonly sizeBytes: bigint; readonly createdAtMs: number; readonly isComplete: boolean },
): csi.Snapshot {
  return {
    snapshotId: snapshotHandle(handle),
    sourceVolumeId: handle.volume,
    sizeBytes: of.sizeBytes,
    creationTime: dateOf(of.createdAtMs),
    readyToUse: of.isComplete,
    groupSnapshotId: '',
  };
}

/** A recorded time in the type of the generated code; the clock is not read here. */
const dateOf = (epochMs: number) => new Date(epochMs);
