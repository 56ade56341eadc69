import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { DeviceParts, VolumeWriter } from '@lateen/volume-writer';
import type { ToldEntry } from './entry-columns.ts';
import type { CompareTask, DeleteExtraTask, TakenAsThere } from './restore-task.ts';

/** What a worker thread writes to: the files of a volume, or its device. Synchronous but for `settle` and `close`. */
export interface TargetWriter
  extends Pick<
    VolumeWriter,
    | 'makeFolder'
    | 'finishFolder'
    | 'writeWholeFile'
    | 'beginFile'
    | 'writeAt'
    | 'finishFile'
    | 'makeLink'
    | 'settle'
    | 'permissionErrors'
    | 'close'
  > {
  /** False when the volume has no such folder itself; a link to one is none. */
  deleteExtra(task: DeleteExtraTask): boolean;
  isThere(entry: ToldEntry, there: TakenAsThere): boolean;
  /** One byte for each part. */
  sameParts(task: CompareTask): Uint8Array;
}

/** The files of a mounted volume. */
export function filesTarget(volumePath: string, writer: VolumeWriter): TargetWriter {
  const isFolder = (path: string) =>
    lstatSync(path === '' ? volumePath : join(volumePath, path), { throwIfNoEntry: false })?.isDirectory() === true;
  return {
    ...writer,
    deleteExtra: ({ path, names, isFolder: areFolders, after, upTo }) => {
      if (!isFolder(path)) return false;
      writer.deleteExtra(
        path,
        names.map((name, at) => ({ name, isFolder: areFolders[at] === true })),
        { after, upTo },
      );
      return true;
    },
    isThere: ({ path, isLink, sizeBytes, attributes }, { sinceNs, skipsUnchanged }) => {
      if (isLink) return skipsUnchanged && writer.isUnchangedLink(path);
      if (skipsUnchanged && writer.isUnchangedFile(path, sizeBytes, attributes)) return true;
      return sinceNs !== undefined && writer.isWrittenSince(path, sizeBytes, attributes, sinceNs);
    },
    sameParts: ({ contentIds }) => new Uint8Array(contentIds.length),
  };
}

/** A device is one file without a name, which is there before and keeps its attributes. */
export function deviceTarget(device: DeviceParts, hashOf: (bytes: Uint8Array) => string): TargetWriter {
  const nothing = () => {};
  return {
    makeFolder: nothing,
    finishFolder: nothing,
    beginFile: nothing,
    finishFile: nothing,
    makeLink: nothing,
    settle: async () => {},
    permissionErrors: { count: 0, first: undefined },
    close: async () => device.close(),
    deleteExtra: () => false,
    isThere: () => false,
    writeWholeFile: (_, pieces) => {
      let offset = 0;
      for (const piece of pieces) {
        device.write(piece, offset);
        offset += piece.length;
      }
    },
    writeAt: (_, data, offset) => device.write(data, offset),
    sameParts: ({ contentIds, offsets, lengths }) =>
      Uint8Array.from(contentIds, (contentId, at) => {
        const present = Buffer.allocUnsafe(lengths[at] ?? 0);
        device.read(present, offsets[at] ?? 0);
        return contentId.endsWith(hashOf(present)) ? 1 : 0;
      }),
  };
}
