import type { FolderEntry } from '@lateen/kopia-format';
import type { FilesToSplice, LargeFile, SplicedFiles } from '@lateen/repository';
import type { ServerSession } from '../client/server-session.ts';
import { baseReasons, baseUnusable } from '../splice/base-unusable.ts';
import { checkBaseIsThere } from '../splice/read-base.ts';
import { type KeeperOptions, SessionKeeper } from '../splice/session-keeper.ts';
import type { CheckpointFile } from './checkpoint-texts.ts';
import { composedObject, type NewContent, objectIdText } from './compose-object.ts';
import { engineParents } from './engine-parents.ts';
import { findFiles } from './find-files.ts';
import { storeCheckpoint } from './store-checkpoint.ts';

export interface SpliceFilesOptions extends KeeperOptions {
  /** Changed bytes between two flushes; at most these are written again when a session is lost. */
  checkpointBytes?: number;
}

interface Versions {
  file: LargeFile;
  base: FolderEntry | undefined;
  known: FolderEntry[];
}

/**
 * Composes large files of a file system volume from an earlier snapshot and the chunks that have changed since, and stores
 * them in an unfinished snapshot (a checkpoint) of the source. kopia, which makes the snapshot of the volume afterwards, takes each file
 * whose size, time, mode and owner are those of an entry in the last snapshot or in a checkpoint after it, and does not read it. So the
 * snapshot is kopia's own in all things, and if kopia does not take a file, it reads it.
 *
 * Files in chunks that are not those of a FIXED splitter are left to the engine. After a lost session, the current stage is repeated;
 * a second checkpoint with the same content does no harm.
 * @throws AppError BASE_SNAPSHOT_UNUSABLE with `details.reason`; REPOSITORY_SESSION_LOST after three sessions; what `read`, `compare` and
 * `open` throw; the signal's reason on abort. Nothing is visible then.
 */
export async function spliceFiles(options: SpliceFilesOptions, request: FilesToSplice): Promise<SplicedFiles> {
  const keeper = new SessionKeeper(options);
  const { signal } = request;
  const result: SplicedFiles = { files: new Map(), checkpointID: undefined, readBytes: 0 };
  const startMs = options.clock.now();
  try {
    const { versions, baseTags } = await keeper.run((session) => readVersions(session, request), signal);
    const composed: CheckpointFile[] = [];
    for (const one of versions) {
      const file = await composedFile({ keeper, options, request, result }, one, baseTags);
      if (file !== undefined) composed.push(file);
    }
    if (composed.length > 0)
      result.checkpointID = await keeper.run(async (session, attempt) => {
        await checkBaseIsThere(session, request.baseID ?? '', signal);
        const times = { startMs, endMs: options.clock.now() };
        return storeCheckpoint(
          session,
          { path: request.sourcePath, files: composed, ...times },
          { mayBeThere: attempt > 1, signal },
        );
      }, signal);
    return result;
  } finally {
    await keeper.close();
  }
}

async function readVersions(session: ServerSession, { sourcePath, baseID, files, signal }: FilesToSplice) {
  const { parents, named: base } = await engineParents(session, sourcePath, baseID, signal);
  if (baseID !== undefined && base === undefined) throw baseUnusable(baseReasons.gone, baseID);
  const paths = files.map(({ path }) => path);
  const inBase =
    base === undefined ? new Map<string, FolderEntry>() : await findFiles(session, base.root, paths, signal);
  const known: Map<string, FolderEntry>[] = [];
  for (const { id, root } of parents)
    known.push(id === base?.id ? inBase : await findFiles(session, root, paths, signal));
  const versions = files.map((file): Versions => {
    const entries = known.map((found) => found.get(file.path)).filter((entry) => entry !== undefined);
    return { file, base: inBase.get(file.path), known: entries.filter((entry) => isSame(entry, file)) };
  });
  return { versions, baseTags: base?.tags ?? {} };
}

const isSame = ({ size, mtimeNs }: FolderEntry, file: LargeFile): boolean =>
  size === file.sizeBytes && mtimeNs === file.mtimeNs;

interface Composing {
  keeper: SessionKeeper;
  options: SpliceFilesOptions;
  request: FilesToSplice;
  result: SplicedFiles;
}

const newContent = ({ keeper, options, request, result }: Composing, file: LargeFile): NewContent => ({
  keeper,
  checkpointBytes: options.checkpointBytes,
  sizeBytes: file.sizeBytes,
  read: (into, offset, stop) => request.read(file, into, offset, stop),
  onRead: (bytes) => {
    result.readBytes += bytes;
    request.onRead?.(bytes);
  },
  signal: request.signal,
});

/** Notes what becomes of a file. Returns the one that the engine is to find, if it would read it otherwise. */
async function composedFile(
  composing: Composing,
  { file, base, known }: Versions,
  baseTags: Readonly<Record<string, unknown>>,
): Promise<CheckpointFile | undefined> {
  const { request, result } = composing;
  const isKnown = known.length > 0;
  const stored = base === undefined ? undefined : { sizeBytes: base.size, mtimeNs: base.mtimeNs };
  const chunksOf = request.compare({ file, base: stored, baseTags });
  const objectId =
    chunksOf === undefined || base?.objectId === undefined
      ? undefined
      : await composedObject(newContent(composing, file), { objectId: base.objectId, sizeBytes: base.size }, chunksOf);
  if (objectId === undefined) {
    result.files.set(file.path, { kind: 'engine', isKnown });
    return undefined;
  }
  const isEqual = known.every((entry) => entry.objectId !== undefined && objectIdText(entry.objectId) === objectId);
  result.files.set(file.path, { kind: 'compared', isKnown, isEqual });
  return isKnown ? undefined : { ...file, objectId };
}
