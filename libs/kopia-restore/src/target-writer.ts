import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { type DeviceParts, isZero, type VolumeWriter, type WrittenSince } from '@lateen/volume-writer';
import type { ToldEntry } from './entry-columns.ts';
import { type DeleteExtraTask, type FilesTarget, type Presence, presence, type TakenAsThere } from './restore-task.ts';

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
  presenceOf(entry: ToldEntry, there: TakenAsThere): Presence;
  /** Bytes that this thread has written to the device so far. */
  readonly writtenBytes: number;
  /** Whether a part of an unfinished file need not be written again. */
  holds(path: string, part: PartThere): boolean;
}

/** A part of a file, and how one knows its bytes. */
export interface PartThere {
  offset: number;
  length: number;
  isContent(bytes: Uint8Array): boolean;
}

/** The files of a mounted volume. */
export function filesTarget({ volumePath, writesSparse }: FilesTarget, writer: VolumeWriter): TargetWriter {
  const isFolder = (path: string) =>
    lstatSync(path === '' ? volumePath : join(volumePath, path), { throwIfNoEntry: false })?.isDirectory() === true;
  return {
    ...writer,
    writtenBytes: 0,
    deleteExtra: ({ path, names, isFolder: areFolders, after, upTo }) => {
      if (!isFolder(path)) return false;
      writer.deleteExtra(
        path,
        names.map((name, at) => ({ name, isFolder: areFolders[at] === true })),
        { after, upTo },
      );
      return true;
    },
    presenceOf: ({ path, isLink, sizeBytes, attributes }, { sinceNs, skipsUnchanged }) => {
      if (isLink) return skipsUnchanged && writer.isUnchangedLink(path) ? presence.whole : presence.none;
      if (skipsUnchanged && writer.isUnchangedFile(path, sizeBytes, attributes)) return presence.whole;
      if (sinceNs === undefined) return presence.none;
      return presenceSince[writer.writtenSince(path, sizeBytes, attributes, sinceNs)];
    },
    holds: (path, { offset, length, isContent }) => {
      const present = Buffer.allocUnsafe(length);
      writer.readAt(path, present, offset);
      // It may be a hole, which only who asks for sparse files wants.
      return (writesSparse || !isZero(present)) && isContent(present);
    },
  };
}

const presenceSince: Readonly<Record<WrittenSince, Presence>> = {
  whole: presence.whole,
  unfinished: presence.unfinished,
  nothing: presence.none,
};

/** A device is one file without a name, which is there before and keeps its attributes. */
export function deviceTarget(device: DeviceParts): TargetWriter {
  const nothing = () => {};
  return {
    makeFolder: nothing,
    finishFolder: nothing,
    beginFile: nothing,
    finishFile: nothing,
    makeLink: nothing,
    settle: () => device.settle(),
    get writtenBytes() {
      return device.writtenBytes;
    },
    permissionErrors: { count: 0, first: undefined },
    close: async () => device.close(),
    deleteExtra: () => false,
    // Nothing tells whose its bytes are but they themselves.
    presenceOf: () => presence.unfinished,
    writeWholeFile: (_, pieces) => {
      let offset = 0;
      for (const piece of pieces) {
        device.write(piece, offset);
        offset += piece.length;
      }
    },
    writeAt: (_, data, offset) => device.write(data, offset),
    holds: (_, { offset, length, isContent }) => {
      const present = Buffer.allocUnsafe(length);
      device.read(present, offset);
      return isContent(present);
    },
  };
}
