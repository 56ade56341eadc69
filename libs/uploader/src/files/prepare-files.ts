import {
  changedChunks,
  decideFile,
  deviceDoubt,
  deviceDoubts,
  type FileState,
  isStale,
  isTrue,
  type MappedDevice,
  type StoredMaps,
} from '@lateen/changed-files';
import type { UploadRequest } from '@lateen/datapath';
import type { FilesToSplice, LargeFile, SplicedFiles } from '@lateen/repository';
import { fullReadReason } from '../block/spliced-upload.ts';
import type { KopiaUploaderOptions } from '../kopia-uploader-options.ts';
import { FileReader } from './file-reader.ts';
import type { DeviceChanges, FileSplice } from './file-splice.ts';
import { largeFileBytes } from './file-wish.ts';
import { findLargeFiles } from './find-large-files.ts';
import { noRoomBefore, tellNoRoom } from './maps-room.ts';
import { mapsIn, mapsTagArgs } from './maps-tag.ts';
import { type ReadText, readDeviceFacts } from './read-device-facts.ts';
import { readFileState, readFileSystemID } from './read-file-state.ts';

/** What the engine's upload of a file system volume gets from its changed blocks. */
export interface PreparedFiles {
  /** Tags for the snapshot: the maps of its large files, for the next upload. */
  tagArgs: readonly string[];
  /** The engine must read all files, also those whose size and time are those of the last snapshot. */
  readsAll: boolean;
  /** An unfinished snapshot in which the engine finds files; kopia deletes it after a complete one. */
  checkpointID: string | undefined;
  /** Read of large files so far. */
  readBytes: number;
  /** Large files that the engine need not read. */
  composed: number;
  /** Why large files were read as a whole; undefined if changes were used. */
  fullReadReason: string | undefined;
}

interface Preparing {
  options: KopiaUploaderOptions;
  fileSplice: FileSplice;
  request: UploadRequest;
  files: readonly LargeFile[];
  states: ReadonlyMap<string, FileState>;
  device: MappedDevice;
  /** The tags of the base and the maps in them; known once a file was looked up there. */
  before: { tags?: object; maps?: StoredMaps | undefined };
}

const nothing = { tagArgs: [], readsAll: false, checkpointID: undefined, readBytes: 0, composed: 0 } as const;

/**
 * Composes the large files of a mounted snapshot from the last snapshot and the blocks that have changed since, so that the
 * engine need not read them, and takes their maps for the next upload (docs/adr/0084). Everything that is not certain
 * leaves a file to the engine, which treats it as without this.
 * @throws UPLOADER_SOURCE_UNREADABLE, SCAN_BAD_ANSWER; the signal's reason on abort
 */
export async function prepareFiles(
  options: KopiaUploaderOptions,
  fileSplice: FileSplice,
  request: UploadRequest,
  readText?: ReadText,
): Promise<PreparedFiles> {
  const { programs } = options;
  const { volumePath, source, signal } = request;
  const facts = await readDeviceFacts(volumePath, readText);
  const doubt = deviceDoubt(facts, undefined);
  if (doubt !== undefined || facts.device === undefined) return { ...nothing, fullReadReason: doubt ?? 'no device' };
  const fileSystem = facts.fileSystem ?? '';
  const [fileSystemID, files] = await Promise.all([
    readFileSystemID({ programs, volumePath, fileSystem, signal }),
    findLargeFiles({ programs, volumePath, signal }, largeFileBytes(request.config)),
  ]);
  if (fileSystemID === undefined) return { ...nothing, fullReadReason: deviceDoubts.noIdentity };
  const device = { sizeBytes: facts.device.sizeBytes, fileSystemID };
  if (files.length === 0) return { ...nothing, fullReadReason: 'the volume has no large files' };
  const readsAll = request.config.ReadUnchangedFiles === 'true';
  if (!readsAll) fileSplice.begin?.(signal);
  const states = new Map<string, FileState>();
  for (const file of files) {
    const state = await readFileState({ programs, volumePath, fileSystem, signal }, file);
    if (state !== undefined) states.set(file.path, state);
  }
  const preparing: Preparing = { options, fileSplice, request, files, states, device, before: {} };
  if (readsAll)
    return { ...nothing, ...mapsOf(preparing, files), fullReadReason: 'all files are read: ReadUnchangedFiles' };
  const found = await fileSplice.changesOf({ source, sizeBytes: device.sizeBytes, signal });
  const changes = found.kind === 'changes' && found.changed.sizeBytes === device.sizeBytes ? found : undefined;
  const reason = found.kind === 'full' ? found.reason : 'the changes are of a volume of another size';
  return await composedFiles(preparing, changes, changes === undefined ? reason : undefined);
}

async function composedFiles(
  preparing: Preparing,
  changes: DeviceChanges | undefined,
  reason: string | undefined,
): Promise<PreparedFiles> {
  const { options, fileSplice, request, files } = preparing;
  const reader = new FileReader(request.volumePath);
  try {
    return preparedOf(preparing, await fileSplice.spliceFiles(filesToSplice(preparing, changes, reader)), reason);
  } catch (error) {
    request.signal.throwIfAborted();
    const why = fullReadReason(error);
    if (why === undefined) throw error;
    options.log.warn({ err: error, files: files.length }, 'large files are left to the engine');
    // Without changes it is only found out which files the engine reads, so that their maps can be stored.
    return changes === undefined
      ? { ...nothing, fullReadReason: reason ?? why }
      : await composedFiles(preparing, undefined, why);
  } finally {
    await reader.close();
  }
}

function filesToSplice(
  { request, files, states, device, before }: Preparing,
  changes: DeviceChanges | undefined,
  reader: FileReader,
): FilesToSplice {
  return {
    sourcePath: request.source.path,
    baseID: changes?.baseID,
    files,
    compare: ({ file, base, baseTags }) => {
      if (before.tags !== baseTags) Object.assign(before, { tags: baseTags, maps: mapsIn(baseTags, device) });
      const stored = before.maps?.files.find(({ path }) => path === file.path);
      const decision = decideFile({ now: states.get(file.path), base, before: stored });
      if (decision.kind === 'engine' || changes === undefined) return undefined;
      const { changed } = changes;
      return (chunkBytes) => changedChunks({ ...decision, changed, chunkBytes });
    },
    read: ({ path }, into, offset) => reader.read(path, into, offset),
    signal: request.signal,
  };
}

function preparedOf(
  preparing: Preparing,
  { files, checkpointID, readBytes }: SplicedFiles,
  fullReadReason: string | undefined,
): PreparedFiles {
  const outcomes = [...files.values()];
  const readsAll = outcomes.some(isStale);
  const certain = preparing.files.filter(({ path }) => {
    const outcome = files.get(path);
    return readsAll || (outcome !== undefined && isTrue(outcome));
  });
  const composed = readsAll ? 0 : outcomes.filter(({ kind }) => kind === 'compared').length;
  const noRoom = noRoomBefore(preparing.before.maps, files);
  const left =
    fullReadReason ?? noRoom ?? (composed === 0 ? 'no large file can be compared with the base snapshot' : undefined);
  const reason = readsAll ? 'a file has changed, but neither its size nor its time' : left;
  if (reason !== undefined && reason === noRoom)
    preparing.request.onWarning?.(`Large files are read as a whole: ${noRoom}.`);
  return { ...mapsOf(preparing, certain), readsAll, checkpointID, readBytes, composed, fullReadReason: reason };
}

/** The tags for files whose bytes the snapshot has for certain. */
function mapsOf(
  { options, request, states, device }: Preparing,
  certain: readonly LargeFile[],
): Pick<PreparedFiles, 'tagArgs' | 'readsAll' | 'checkpointID' | 'readBytes' | 'composed'> {
  const files = certain.flatMap(({ path }) => states.get(path) ?? []);
  const { args, left } = mapsTagArgs({ device, files });
  tellNoRoom(options.log, request, left);
  return { ...nothing, tagArgs: args };
}
