import type { ContentKeys } from '@lateen/kopia-format';
import type { KeptEntry } from '@lateen/volume-writer';
import type { ContentColumns } from './content-columns.ts';
import type { EntryColumns } from './entry-columns.ts';

/** The start message of every worker thread. It contains the keys of the repository: never log it. */
export interface RestoreWorkerData {
  keys: ContentKeys;
  target: FilesTarget | DeviceTarget;
}

/** A mounted volume. */
export interface FilesTarget {
  kind: 'files';
  /** Absolute. */
  volumePath: string;
  /** Blocks of zeroes become holes. */
  writesSparse: boolean;
}

/** The device of a volume of mode Block. */
export interface DeviceTarget {
  kind: 'device';
  devicePath: string;
  /** Blocks of zeroes are written only where the device reads otherwise … */
  skipsZeroes: boolean;
  /** … which it does nowhere: its storage has zeroed it. */
  readsZero: boolean;
}

/** Which files are there already: from an earlier attempt, or unchanged since the backup. Of a device each part is compared. */
export interface TakenAsThere {
  /**
   * Equal in size and time to the nanosecond, and written since then: an earlier attempt of this restore wrote them. Of those that
   * are equal in size alone, each part is compared.
   */
  sinceNs: bigint | undefined;
  /** Equal in size and nearly in time: the rule of the engine's `--skip-existing`. */
  skipsUnchanged: boolean;
}

/** What is done before the contents of a window come. */
export interface PrepareTask {
  kind: 'prepare';
  /** Made in this order. */
  folders: EntryColumns;
}

/** Looks which entries need not be written; the result has a `Presence` for each. */
export interface LookTask {
  kind: 'look';
  entries: EntryColumns;
  there: TakenAsThere;
}

/** How much of an entry the target has. */
export const presence = {
  none: 0,
  /** It need not be written. */
  whole: 1,
  /** Of the right size, and some of its bytes may be right: parts of it are compared. */
  unfinished: 2,
} as const;
export type Presence = (typeof presence)[keyof typeof presence];

/** Looks which parts of unfinished files, or of the device, are there already, by their hashes; the result has one byte for each. */
export interface CompareTask {
  kind: 'compare';
  /** Of the contents, whose parts these are. */
  contentIds: readonly string[];
  lengths: Float64Array;
  parts: PartColumns;
}

/** Contents that have come, and what is made of them. */
export interface WriteTask {
  kind: 'write';
  /** A part of a pack; shared, and used again by others when the task is over. */
  bytes: Uint8Array<SharedArrayBuffer>;
  contents: ContentColumns;
  /** Files and links of one content each. */
  entries: EntryColumns;
  /** By entry, its content; `noContent` for an empty file. */
  contentOf: Uint32Array;
  parts: PartColumns;
}

/** Contents that are parts of large files or of the device. */
export interface PartColumns {
  /** Relative to the volume. */
  paths: readonly string[];
  /** By path: the file was begun by an earlier attempt, and may hold anything. */
  unfinished: Uint8Array;
  pathOf: Uint32Array;
  contentOf: Uint32Array;
  /** Where in the file. */
  offsets: Float64Array;
}

/** Makes files of their sizes, whose parts come in any order. */
export interface BeginTask {
  kind: 'begin';
  entries: EntryColumns;
}

/** All parts of these files have been written. */
export interface FinishFilesTask {
  kind: 'finish-files';
  entries: EntryColumns;
}

/** All that is in these folders has been written. */
export interface FinishFoldersTask {
  kind: 'finish-folders';
  folders: EntryColumns;
}

/** Deletes what else is in a part of a folder; the result's `there` says whether the volume has that folder at all. */
export interface DeleteExtraTask {
  kind: 'delete-extra';
  /** Relative to the volume. */
  path: string;
  names: readonly string[];
  isFolder: readonly boolean[];
  /** Entries up to this one are left alone, and … */
  after: KeptEntry | undefined;
  /** … those behind this one. */
  upTo: KeptEntry | undefined;
}

export type RestoreTask =
  | PrepareTask
  | DeleteExtraTask
  | LookTask
  | CompareTask
  | BeginTask
  | WriteTask
  | FinishFilesTask
  | FinishFoldersTask;

export interface RestoreTaskResult {
  /** Of contents, written or turned into holes. */
  bytes: number;
  /** Files and links that are whole now. */
  files: number;
  /** Bytes of the target that were compared with the snapshot, by their hashes. */
  comparedBytes: number;
  /** Bytes that the target had already. */
  unchangedBytes: number;
  /** Bytes written to a device; of files none. */
  writtenBytes: number;
  /** By entry of a `look` its presence; by part of a `compare`, or of the folder of a `delete-extra`, 1 when it is there. */
  there?: Uint8Array | undefined;
  /** What could not be set (owners, modes) although the rest went well. */
  complaints: Complaints;
}

export interface Complaints {
  count: number;
  /** The first of them. */
  told: string[];
}

/** Entries without a byte have no content to wait for. */
export const noContent = 0xffffffff;
