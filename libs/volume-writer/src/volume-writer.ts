import type { ChildRunner } from '@lateen/child-process';
import type { Logger } from '@lateen/kernel';
import { Attributes, type PermissionErrors } from './attributes.ts';
import { type DeletedEntries, deleteExtra, type FolderSpan, type KeptEntry } from './delete-extra.ts';
import type { EntryAttributes } from './entry-attributes.ts';
import { exactTimes } from './exact-times.ts';
import { finishFolder, makeFolder } from './folders.ts';
import { LargeFiles } from './large-files.ts';
import { makeLink } from './links.ts';
import { isUnchangedFile, isUnchangedLink, type WrittenSince, writtenSince } from './present-entry.ts';
import { writeWholeFile } from './whole-file.ts';

export interface VolumeWriterOptions {
  /** Where the volume is mounted. */
  volumePath: string;
  /** Blocks of 4 KiB of zeroes become holes. */
  sparse: boolean;
  /** Runs `perl`, which sets times to the nanosecond. */
  perl: ChildRunner;
  log: Logger;
}

/**
 * Writes entries of a restored tree: one per thread, several for one volume at the same time. All but `settle` and `close` are
 * synchronous. Paths are relative to the volume, with `/`; `''` is its root. What lies above an entry has to be made
 * first with `makeFolder`; no call follows a link. What is in the way of an entry is overwritten: a file, link, FIFO or
 * device is replaced, a folder keeps what is in it; a folder in the way of anything else is an error.
 * Each may be repeated. @throws UPLOADER_VOLUME_FULL, UPLOADER_TARGET_NOT_WRITABLE, VOLUME_ENTRY_UNFIT, VOLUME_WRITE_FAILED
 * naming the entry
 */
export interface VolumeWriter {
  /** A folder that only its owner may enter, until `finishFolder`. */
  makeFolder(path: string): void;
  /** Owner, permissions and time of a folder, after everything in it was made and settled. */
  finishFolder(path: string, attributes: EntryAttributes): void;
  /** A file whose pieces, in order, are at hand. */
  writeWholeFile(path: string, pieces: readonly Uint8Array[], attributes: EntryAttributes): void;
  /** A file that is written in parts: once, before any of them, in whichever thread. */
  beginFile(path: string, sizeBytes: number): void;
  /**
   * One part of a file that was begun, in any order and in any thread.
   * @param unfinished the file may hold other bytes: it was begun by an earlier attempt
   */
  writeAt(path: string, data: Uint8Array, offset: number, unfinished?: boolean): void;
  /** Fills `into` with what a file that was begun holds there. @throws VOLUME_WRITE_FAILED, also where the file ends before */
  readAt(path: string, into: Uint8Array, offset: number): void;
  /** Once, after all parts, in whichever thread: its content is on the storage before it gets its time. */
  finishFile(path: string, attributes: EntryAttributes): void;
  /** The target is taken as it is, also where its bytes are no text. */
  makeLink(path: string, target: string | Uint8Array, attributes: EntryAttributes): void;
  /** Deletes what the snapshot does not have in this folder, or in a part of it, folders with all that is in them. */
  deleteExtra(folder: string, kept: readonly KeptEntry[], span?: FolderSpan): DeletedEntries;
  /**
   * Whether an earlier attempt, which began at `sinceNs`, has written this file: its size and time are right, and both came
   * later than that. One that is unfinished may be written on in parts without `beginFile`.
   */
  writtenSince(path: string, sizeBytes: number, attributes: EntryAttributes, sinceNs: bigint): WrittenSince;
  /** Whether `SkipUnchangedFiles` leaves this file alone: kopia's rule, size and time within two seconds. */
  isUnchangedFile(path: string, sizeBytes: number, attributes: EntryAttributes): boolean;
  /** Whether `SkipUnchangedFiles` leaves this link alone: kopia's rule, any link. */
  isUnchangedLink(path: string): boolean;
  /** Resolves when every entry so far has its time; at the end of each task. @throws VOLUME_WRITE_FAILED, VOLUME_TIMES_FAILED */
  settle(): Promise<void>;
  /** So far. */
  readonly permissionErrors: PermissionErrors;
  /** Closes files and ends the helper. */
  close(): Promise<void>;
}

export async function volumeWriter({ volumePath, sparse, perl, log }: VolumeWriterOptions): Promise<VolumeWriter> {
  const times = await exactTimes({ volumePath, perl, log });
  const attributes = new Attributes(times);
  const at = (path: string) => (path === '' ? volumePath : `${volumePath}/${path}`);
  const large = new LargeFiles(at, attributes, sparse);
  return {
    makeFolder: (path) => makeFolder({ path, at: at(path) }),
    finishFolder: (path, given) => finishFolder({ path, at: at(path) }, given, attributes),
    writeWholeFile: (path, pieces, given) =>
      writeWholeFile({ path, at: at(path) }, { pieces, given, sparse, attributes }),
    beginFile: (path, sizeBytes) => large.begin(path, sizeBytes),
    writeAt: (path, data, offset, unfinished = false) => large.write(path, data, offset, unfinished),
    readAt: (path, into, offset) => large.read(path, into, offset),
    finishFile: (path, given) => large.finish(path, given),
    makeLink: (path, target, given) => makeLink({ path, at: at(path) }, { target, given, attributes }),
    deleteExtra: (folder, kept, span) => deleteExtra({ path: folder, at: at(folder) }, kept, span),
    writtenSince: (path, sizeBytes, given, sinceNs) => writtenSince(at(path), { sizeBytes, given, sinceNs }),
    isUnchangedFile: (path, sizeBytes, given) => isUnchangedFile(at(path), sizeBytes, given),
    isUnchangedLink: (path) => isUnchangedLink(at(path)),
    settle: async () => {
      await attributes.settle();
      large.mustBeWell();
    },
    permissionErrors: attributes.permissionErrors,
    close: async () => {
      large.close();
      await times.close();
    },
  };
}
