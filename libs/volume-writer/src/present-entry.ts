import { lstatSync } from 'node:fs';
import type { EntryAttributes } from './entry-attributes.ts';

/** kopia: the time of a file that is left alone may differ by less than this. */
const sameTimeNs = 2_000_000_000n;

/**
 * What an earlier attempt has left of a file. `unfinished` has the right size, and nobody knows how many of its bytes: a file in
 * parts gets its size first and its time last.
 */
export type WrittenSince = 'whole' | 'unfinished' | 'nothing';

export function writtenSince(
  at: string,
  { sizeBytes, given, sinceNs }: { sizeBytes: number; given: EntryAttributes; sinceNs: bigint },
): WrittenSince {
  const there = lstatSync(at, { bigint: true, throwIfNoEntry: false });
  if (there === undefined || !there.isFile()) return 'nothing';
  if (there.size !== BigInt(sizeBytes) || there.ctimeNs < sinceNs) return 'nothing';
  // The time is the last that a file is given, and only a file that is whole gets it.
  if (there.mtimeNs === given.mtimeNs) return 'whole';
  // By another name it may be a file that the snapshot does not have.
  return there.nlink === 1n ? 'unfinished' : 'nothing';
}

export function isUnchangedFile(at: string, sizeBytes: number, { mtimeNs }: EntryAttributes): boolean {
  const there = lstatSync(at, { bigint: true, throwIfNoEntry: false });
  if (there === undefined || !there.isFile() || there.size !== BigInt(sizeBytes)) return false;
  const apart = there.mtimeNs - mtimeNs;
  return apart < sameTimeNs && apart > -sameTimeNs;
}

export function isUnchangedLink(at: string): boolean {
  return lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
