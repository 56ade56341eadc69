import type { Extent } from '@lateen/block-engine';
import type { SnapshotRecord } from '../store/records.ts';
import type { VolumeDeps } from '../volume-deps.ts';
import { volumeError } from '../volume-error.ts';
import { snapshotAreas } from './snapshot-areas.ts';

export interface RecordExtentsRequest {
  snapshot: SnapshotRecord;
  /** Another one of this node; what both share is left out. */
  since?: SnapshotRecord | undefined;
  startBytes: bigint;
}

/**
 * Like `BlockEngine.extents`, for records. The caller protects both snapshots from deletion until it ends.
 * @throws AppError `OUT_OF_RANGE` for a negative start or one beyond the end
 */
export async function* recordExtents(
  { host, paths }: Pick<VolumeDeps, 'host' | 'paths'>,
  { snapshot, since, startBytes }: RecordExtentsRequest,
  signal: AbortSignal,
): AsyncGenerator<Extent, void, undefined> {
  if (startBytes < 0n || startBytes > BigInt(snapshot.sizeBytes)) throw beyond(snapshot.name, startBytes);
  // What it no longer shares with any other file has no place that could be compared.
  if (since?.id === snapshot.id) return;
  const fileOf = (each: SnapshotRecord) => ({ file: paths.backingFile(each), sizeBytes: each.sizeBytes });
  const request = { ...fileOf(snapshot), startBytes: Number(startBytes), ...(since && { since: fileOf(since) }) };
  for await (const area of snapshotAreas(host, request, signal)) {
    signal.throwIfAborted();
    yield { startBytes: BigInt(area.startBytes), lengthBytes: BigInt(area.endBytes - area.startBytes) };
  }
}

export const beyond = (snapshot: string, at: bigint) =>
  volumeError('OUT_OF_RANGE', `snapshot ${snapshot} has no such bytes at ${at}`, {
    nextStep: 'Read within its size.',
  });
