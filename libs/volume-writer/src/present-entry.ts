import { lstatSync } from 'node:fs';
import type { EntryAttributes } from './entry-attributes.ts';

/** kopia: the time of a file that is left alone may differ by less than this. */
const sameTimeNs = 2_000_000_000n;

export function isWrittenSince(
  at: string,
  { sizeBytes, given, sinceNs }: { sizeBytes: number; given: EntryAttributes; sinceNs: bigint },
): boolean {
  const there = lstatSync(at, { bigint: true, throwIfNoEntry: false });
  if (there === undefined || !there.isFile()) return false;
  // The time is the last that a file is given, and only a file that is whole gets it.
  return there.size === BigInt(sizeBytes) && there.mtimeNs === given.mtimeNs && there.ctimeNs >= sinceNs;
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
