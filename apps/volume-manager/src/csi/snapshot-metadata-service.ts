import type { Call, Extent } from '@lateen/block-engine';
import { csi } from '@lateen/csi';
import type { ServiceHandlers } from '@lateen/grpc';
import { volumeError } from '@lateen/volume';

/** A snapshot as {@link SnapshotBlocks} knows it. */
export interface FoundSnapshot {
  /** Equal for all snapshots of one volume. */
  readonly volume: string;
  readonly sizeBytes: bigint;
}

/** What a driver can report about blocks. Errors have CSI codes. */
export interface SnapshotBlocks<S extends FoundSnapshot> {
  /** @throws AppError `NOT_FOUND`, also for an ID that no snapshot can have; `FAILED_PRECONDITION` for a snapshot that this driver cannot inspect */
  find(snapshotId: string, o: Call): Promise<S>;
  /**
   * Like `BlockEngine.extents`, for snapshots of one volume. Neither snapshot is deleted while this is read.
   * @throws AppError `FAILED_PRECONDITION` when the extents cannot be determined
   */
  extents(snapshot: S, o: Call & { readonly since?: S; readonly startBytes: bigint }): AsyncIterable<Extent>;
}

/** Limit of tuples per message, whatever the client requests: 4096 of them take some 60 KB, far below gRPC's limit. */
export const tuplesMax = 4096;

type Answer = csi.GetMetadataAllocatedResponse & csi.GetMetadataDeltaResponse;

interface Question {
  readonly target: string;
  readonly base?: string;
  readonly startingOffset: bigint;
  readonly maxResults: number;
}

/**
 * CSI SnapshotMetadata: which blocks of a snapshot have data, and which differ from another snapshot of its volume. Blocks are of variable length.
 * The first message is sent even when there are no blocks, so that the caller learns the size of the volume.
 */
export function snapshotMetadataHandlers<S extends FoundSnapshot>(
  blocks: SnapshotBlocks<S>,
): ServiceHandlers<csi.SnapshotMetadataServer> {
  return {
    getMetadataAllocated: ({ snapshotId, ...rest }, o) =>
      answers(blocks, { ...rest, target: required(snapshotId, 'snapshot_id') }, o),
    getMetadataDelta: ({ baseSnapshotId, targetSnapshotId, ...rest }, o) => {
      const base = required(baseSnapshotId, 'base_snapshot_id');
      return answers(blocks, { ...rest, base, target: required(targetSnapshotId, 'target_snapshot_id') }, o);
    },
  };
}

function required(id: string, field: string): string {
  if (id === '') throw volumeError('INVALID_ARGUMENT', `${field} is missing`);
  return id;
}

async function* answers<S extends FoundSnapshot>(
  blocks: SnapshotBlocks<S>,
  { target: id, base, startingOffset, maxResults }: Question,
  { signal }: Call,
): AsyncGenerator<Answer, void, undefined> {
  if (maxResults < 0) throw volumeError('INVALID_ARGUMENT', `max_results is negative: ${maxResults}`);
  const snapshot = await blocks.find(id, { signal });
  const since = base === undefined ? undefined : await blocks.find(base, { signal });
  if (since !== undefined && since.volume !== snapshot.volume) {
    throw volumeError('INVALID_ARGUMENT', `snapshots ${base} and ${id} are of different volumes`, {
      nextStep: 'Compare snapshots of one volume.',
    });
  }
  if (startingOffset < 0n || startingOffset > snapshot.sizeBytes) {
    throw volumeError(
      'OUT_OF_RANGE',
      `starting_offset is ${startingOffset}, the volume has ${snapshot.sizeBytes} bytes`,
    );
  }
  const call = { signal, startBytes: startingOffset, ...(since === undefined ? {} : { since }) };
  const most = maxResults === 0 ? tuplesMax : Math.min(maxResults, tuplesMax);
  const message = (blockMetadata: csi.BlockMetadata[]): Answer => ({
    blockMetadataType: csi.BlockMetadataType.VARIABLE_LENGTH,
    volumeCapacityBytes: snapshot.sizeBytes,
    blockMetadata,
  });
  let tuples: csi.BlockMetadata[] = [];
  let isEmpty = true;
  for await (const extent of blocks.extents(snapshot, call)) {
    signal.throwIfAborted();
    tuples.push(tupleFrom(extent, startingOffset));
    if (tuples.length < most) continue;
    yield message(tuples);
    [tuples, isEmpty] = [[], false];
  }
  if (tuples.length > 0 || isEmpty) yield message(tuples);
}

/** The engine widens areas to whole granules; the part that the caller has already is not repeated. */
function tupleFrom({ startBytes, lengthBytes }: Extent, from: bigint): csi.BlockMetadata {
  const byteOffset = startBytes < from ? from : startBytes;
  return { byteOffset, sizeBytes: startBytes + lengthBytes - byteOffset };
}
