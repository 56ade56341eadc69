import type { FileState } from './file-state.ts';

/** A file in a snapshot of the repository. */
export interface StoredFile {
  sizeBytes: number;
  mtimeNs: bigint;
}

/** What is known of one large file before an upload. */
export interface FileFacts {
  /** The file now; undefined if it has no map that can be relied on. */
  now: FileState | undefined;
  /** The file in the snapshot that the changes are relative to; undefined without one, and if it did not have the file. */
  base: StoredFile | undefined;
  /** Where its bytes were in that snapshot; undefined if that is not stored. */
  before: FileState | undefined;
}

/** Why a file is left to the engine, which reads it or takes it from an earlier snapshot, as it does without any of this. */
export const fileReasons = {
  noMap: 'no map of the file',
  isNew: 'not in the base snapshot',
  notStored: 'no map of the file in the base snapshot',
  otherFile: 'the stored map is of another state of the file',
} as const;

export type FileReason = (typeof fileReasons)[keyof typeof fileReasons];

/** What happens with a file: `compare` its maps, or leave it to the `engine`. */
export type FileDecision =
  | { kind: 'compare'; before: FileState; now: FileState }
  | { kind: 'engine'; reason: FileReason };

/** Whether the maps of a file can be compared. Nothing is assumed: what is not known is a reason to leave the file to the engine. Pure. */
export function decideFile({ now, base, before }: FileFacts): FileDecision {
  const engine = (reason: FileReason): FileDecision => ({ kind: 'engine', reason });
  if (now === undefined) return engine(fileReasons.noMap);
  if (base === undefined) return engine(fileReasons.isNew);
  if (before === undefined) return engine(fileReasons.notStored);
  const isSame = base.sizeBytes === before.sizeBytes && base.mtimeNs === before.mtimeNs;
  return isSame ? { kind: 'compare', before, now } : engine(fileReasons.otherFile);
}

/**
 * What has become of a file in the snapshot of this upload. `isKnown`: the engine does not read it, because an earlier snapshot has a
 * file of this size and time.
 */
export type FileOutcome =
  /** Left to the engine. */
  | { kind: 'engine'; isKnown: boolean }
  /** Made of the base and its changed chunks; `isEqual`: it has the bytes that the engine would take instead. */
  | { kind: 'compared'; isKnown: boolean; isEqual: boolean };

/**
 * Whether the snapshot has the bytes that the file has now. Only then its map may be stored with the snapshot: a file that the
 * engine takes from an earlier one because of size and time may have changed without either, and comparing maps with it would keep
 * these old bytes for ever. Pure.
 */
export const isTrue = (outcome: FileOutcome): boolean =>
  !outcome.isKnown || (outcome.kind === 'compared' && outcome.isEqual);

/** Whether the engine would take old bytes: the file has changed, but neither its size nor its time. Then it has to read all files. Pure. */
export const isStale = (outcome: FileOutcome): boolean =>
  outcome.kind === 'compared' && outcome.isKnown && !outcome.isEqual;
