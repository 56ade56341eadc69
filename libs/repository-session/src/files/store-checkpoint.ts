import type { ServerSession } from '../client/server-session.ts';
import { findStored, type StoreSnapshotOptions } from '../splice/store-snapshot.ts';
import { sourceLabels } from '../stored/snapshot-texts.ts';
import { type CheckpointFile, checkpointManifest, timeTextNs, writeCheckpointTree } from './checkpoint-texts.ts';

export interface Checkpoint {
  /** Of the source. */
  path: string;
  files: readonly CheckpointFile[];
  startMs: number;
  endMs: number;
}

/** Stores the folders and the manifest of a checkpoint, flushes, and returns the ID of the manifest. */
export async function storeCheckpoint(
  session: ServerSession,
  { path, files, startMs, endMs }: Checkpoint,
  { mayBeThere, signal }: StoreSnapshotOptions,
): Promise<string> {
  const time = timeTextNs(BigInt(startMs) * 1_000_000n);
  const rootEntry = await writeCheckpointTree(files, time, (text) =>
    session.writeContent({ prefix: 'k', data: Buffer.from(text), isCompressed: true }, { signal }),
  );
  const stored = mayBeThere ? await findStored(session, path, rootEntry.obj, signal) : undefined;
  if (stored !== undefined) return stored;
  const json = checkpointManifest(path, rootEntry, { startMs, endMs });
  const id = await session.putManifest({ json, labels: sourceLabels(path) }, { signal });
  await session.flush({ signal });
  return id;
}
