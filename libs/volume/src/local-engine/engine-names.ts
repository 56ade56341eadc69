import { blockVolumeError, type Call } from '@lateen/block-engine';
import { findSnapshot, findVolume } from '../controller/find-record.ts';
import type { SnapshotRecord, VolumeRecord } from '../store/records.ts';
import type { VolumeDeps } from '../volume-deps.ts';
import { idForName } from '../volume-id.ts';
import type { LocalEngineDeps } from './engine-deps.ts';
import { asEngineError } from './engine-errors.ts';

export const volumeId = (deps: VolumeDeps, name: string): string => idForName('volume', name, deps.nodeId);
export const snapshotId = (deps: VolumeDeps, name: string): string => idForName('snapshot', name, deps.nodeId);

export const volumeNamed = (deps: VolumeDeps, name: string): VolumeRecord => findVolume(deps, volumeId(deps, name));

/** A snapshot of this volume; the volume itself may be gone. @throws AppError `SNAPSHOT_NOT_FOUND`, also for another volume's */
export function snapshotNamed(deps: VolumeDeps, volume: string, name: string): SnapshotRecord {
  const found = translated('snapshot', () => findSnapshot(deps, snapshotId(deps, name)));
  if (found.sourceVolumeId === volumeId(deps, volume)) return found;
  throw blockVolumeError('SNAPSHOT_NOT_FOUND', `snapshot ${name} is not one of volume ${volume}`, {
    nextStep: 'List the snapshots of the volume.',
  });
}

function translated<T>(what: 'volume' | 'snapshot', call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw asEngineError(error, what);
  }
}

/** Runs one call, alone on what it changes and beside others on what it reads, with this library's errors in the port's words. */
export async function changing<T>(
  deps: LocalEngineDeps,
  o: Call,
  call: { what: 'volume' | 'snapshot'; ids: () => readonly string[]; reads?: () => readonly string[] },
  change: () => Promise<T>,
): Promise<T> {
  o.signal.throwIfAborted();
  try {
    using _held = deps.inFlight.enter([
      ...call.ids().map((id) => ({ id, mode: 'exclusive' }) as const),
      ...(call.reads?.() ?? []).map((id) => ({ id, mode: 'shared' }) as const),
    ]);
    return await change();
  } catch (error) {
    o.signal.throwIfAborted();
    throw asEngineError(error, call.what);
  }
}
