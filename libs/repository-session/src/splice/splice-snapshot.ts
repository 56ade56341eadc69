import type { Clock, Random } from '@lateen/kernel';
import { type ChunkLayout, chunkCount, chunkLength } from '@lateen/kopia-format';
import type { SnapshotIdentity } from '@lateen/repository';
import type { ServerSession } from '../client/server-session.ts';
import { incrementsTag } from '../stored/increments-tag.ts';
import { writeChunkList } from '../stored/piece-list.ts';
import type { VolumeSnapshot } from '../stored/snapshot-texts.ts';
import { type ChangedRange, changedChunks, checkLayout } from './changed-chunks.ts';
import { checkBaseIsThere, readBase } from './read-base.ts';
import { SessionKeeper } from './session-keeper.ts';
import { storeSnapshot } from './store-snapshot.ts';
import { unchangedOnly, verifyChunks } from './verify-chunks.ts';
import { chunkBatches, type WriteChunksOptions, writeChunks } from './write-chunks.ts';

/** What to make of which snapshot. */
export interface SpliceRequest {
  source: SnapshotIdentity;
  /** The snapshot that `changed` is relative to: its manifest ID. */
  baseID: string;
  /** Sorted, without overlaps; bytes outside of them are those of the base. */
  changed: Iterable<ChangedRange>;
  sizeBytes: number;
  /** Of the FIXED splitter that is in effect for the source. */
  chunkBytes: number;
  /** Name of the one file: the path of the device. */
  fileName: string;
  /** Fills `into` with the bytes of the volume from `offset`; the same bytes each time. */
  read(into: Uint8Array, offset: number, signal: AbortSignal): Promise<void>;
  /**
   * Unchanged chunks, in ascending order, that are read and compared with the base before anything else is done; told how many splices
   * there were since the last full read or verification. Absent, or no chunk: nothing is compared, and the next splice is told one more.
   */
  chunksToVerify?(incrementsSinceCheck: number): Iterable<number>;
  onProgress?(progress: SpliceProgress): void;
  signal: AbortSignal;
}

export interface SpliceProgress {
  /** The totals of the changed chunks. */
  changedBytes: number;
  /** Read of the volume so far because it has changed; chunks of a lost session are read and counted again. */
  readBytes: number;
  /** Read of the volume so far to compare it with the base. */
  verifiedBytes: number;
  /** Of the chunks that are stored for good, what differs from the base. */
  uploadedBytes: number;
}

export interface SpliceResult extends SpliceProgress {
  snapshotID: string;
  totalBytes: number;
}

export interface SpliceOptions {
  open(signal: AbortSignal): Promise<ServerSession>;
  clock: Clock;
  random: Random;
  /** Told of each session that was lost and is opened again. */
  onLost?(error: unknown): void;
  /** Changed bytes between two flushes; at most these are written again when a session is lost. Default 256 MiB. */
  checkpointBytes?: number;
}

const checkpointBytesDefault = 256 * 1024 * 1024;

/**
 * Makes a snapshot of a block volume from the snapshot before it and the ranges that have changed since: reads and stores the chunks
 * that these touch, and refers to the chunks of the base for the rest. Until the manifest is stored, as the last step, nothing
 * of it is visible; an interrupted run leaves contents, which the next one finds stored. If unchanged chunks are verified
 * and one differs from the base, no snapshot is made.
 * @throws AppError BASE_SNAPSHOT_UNUSABLE with `details.reason` (and `details.offset` if a verified chunk differs), so that the caller reads everything; REPOSITORY_SESSION_LOST after
 * three sessions; what `read` and `open` throw; the signal's reason on abort
 */
export async function spliceSnapshot(options: SpliceOptions, request: SpliceRequest): Promise<SpliceResult> {
  const { signal, baseID, source } = request;
  const layout: ChunkLayout = { sizeBytes: request.sizeBytes, chunkBytes: request.chunkBytes };
  checkLayout(layout);
  const chunks = changedChunks(request.changed, layout);
  const keeper = new SessionKeeper(options);
  const progress: SpliceProgress = {
    changedBytes: bytesOf(chunks, layout),
    readBytes: 0,
    verifiedBytes: 0,
    uploadedBytes: 0,
  };
  const report = (): void => request.onProgress?.({ ...progress });
  try {
    const startMs = options.clock.now();
    const base = await keeper.run((session) => readBase(session, { baseID, source, layout, signal }), signal);
    const { ids, incrementsSinceCheck } = base;
    const writing = (counter: 'readBytes' | 'verifiedBytes'): WriteChunksOptions => ({
      layout,
      read: request.read,
      onRead: (bytes) => {
        progress[counter] += bytes;
        report();
      },
      signal,
    });
    const batchBytes = options.checkpointBytes ?? checkpointBytesDefault;
    const toVerify = unchangedOnly(request.chunksToVerify?.(incrementsSinceCheck) ?? [], chunks, layout);
    await verifyChunks(keeper, toVerify, { ...writing('verifiedBytes'), ids, batchBytes });
    const write = writing('readBytes');
    for (const batch of chunkBatches(chunks, layout, batchBytes)) {
      const written = await keeper.run((session) => writeChunks(session, batch, write), signal);
      progress.uploadedBytes += bytesOf(
        batch.filter((chunk, index) => ids[chunk] !== written[index]),
        layout,
      );
      batch.forEach((chunk, index) => {
        ids[chunk] = written[index] ?? '';
      });
      report();
    }
    const snapshotID = await keeper.run(async (session, attempt) => {
      await checkBaseIsThere(session, baseID, signal);
      const isChecked = toVerify.length > 0 || chunks.length === chunkCount(layout);
      const increments = isChecked ? 0 : incrementsSinceCheck + 1;
      const snapshot = await volumeSnapshot(session, ids, { request, increments, startMs, clock: options.clock });
      return storeSnapshot(session, snapshot, { mayBeThere: attempt > 1, signal });
    }, signal);
    return { snapshotID, totalBytes: layout.sizeBytes, ...progress };
  } finally {
    await keeper.close();
  }
}

/** Stores the list of chunks. */
async function volumeSnapshot(
  session: ServerSession,
  ids: readonly string[],
  {
    request,
    increments,
    startMs,
    clock,
  }: { request: SpliceRequest; increments: number; startMs: number; clock: Clock },
): Promise<VolumeSnapshot> {
  const { fileName, sizeBytes, chunkBytes, signal } = request;
  const tags = { ...request.source.tags, [incrementsTag]: String(increments) };
  const source = { ...request.source, tags };
  const objectId = await writeChunkList(ids, { sizeBytes, chunkBytes }, (data) =>
    session.writeContent({ prefix: 'x', data, isCompressed: true }, { signal }),
  );
  return { source, fileName, sizeBytes, objectId, startMs, endMs: clock.now() };
}

const bytesOf = (chunks: readonly number[], layout: ChunkLayout): number =>
  chunks.reduce((sum, chunk) => sum + chunkLength(chunk, layout), 0);
