import { type BlockSnapshot, blockVolumeError, type Call } from '@lateen/block-engine';
import { readObject } from '@lateen/kube';
import { type Snapshot, snapshotType } from '@lateen/storage-types';
import type { EngineDeps } from './engine-deps.ts';
import { objectNameOf } from './object-name.ts';

export interface SnapshotName {
  readonly volume: string;
  readonly snapshot: string;
}

/** Whether a caller sees it: what is deleted stays as an object until its data is merged. */
export const isSeen = ({ metadata, status }: Snapshot): boolean =>
  metadata.deletionTimestamp === undefined && status?.readyToUse === true && status.markRemoved !== true;

/** One that can be read. @throws AppError `SNAPSHOT_NOT_FOUND`, also for another volume's */
export async function snapshotNamed(deps: EngineDeps, name: SnapshotName, o: Call): Promise<BlockSnapshot> {
  o.signal.throwIfAborted();
  const key = { namespace: deps.namespace, name: objectNameOf(name.snapshot) };
  const found = await readObject(deps.kube, snapshotType, key, o.signal);
  if (found !== undefined && found.spec.volume === objectNameOf(name.volume) && isSeen(found)) {
    return blockSnapshotOf(name, found);
  }
  throw blockVolumeError('SNAPSHOT_NOT_FOUND', `volume ${name.volume} has no snapshot ${name.snapshot}`, {
    nextStep: 'List the snapshots of the volume.',
  });
}

export const blockSnapshotOf = ({ volume, snapshot }: SnapshotName, { spec, status }: Snapshot): BlockSnapshot => ({
  name: snapshot,
  volume,
  sizeBytes: BigInt(status?.restoreSize ?? 0),
  createdAtMs: Date.parse(status?.creationTime ?? '') || 0,
  labels: spec.labels ?? {},
});
