import { closeSync, fdatasyncSync, ftruncateSync } from 'node:fs';
import type { Attributes } from './attributes.ts';
import type { EntryAttributes } from './entry-attributes.ts';
import type { EntryPlace } from './entry-place.ts';
import { openNewFile } from './open-file.ts';
import { volumeError } from './volume-error.ts';
import { writePieces, writeSparse } from './write-file.ts';

export interface FileToWrite {
  pieces: readonly Uint8Array[];
  given: EntryAttributes;
  sparse: boolean;
  attributes: Attributes;
}

/**
 * Without a sync: the size of a file that is written from its beginning reaches the storage after its data, so one of the
 * right size is whole even after the node has crashed. That does not hold with holes, whose file gets its size first.
 */
export function writeWholeFile({ path, at }: EntryPlace, { pieces, given, sparse, attributes }: FileToWrite): void {
  try {
    const made = openNewFile(at);
    const { file } = made;
    try {
      if (!sparse) writePieces(file, pieces);
      else if (writeHoles(file, pieces)) fdatasyncSync(file);
      attributes.giveNew(made, path, given);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw volumeError('writing the file', path, error);
  }
}

/** True when the file got holes. */
function writeHoles(file: number, pieces: readonly Uint8Array[]): boolean {
  let offset = 0;
  let hasHoles = false;
  for (const piece of pieces) {
    if (writeSparse(file, piece, offset)) hasHoles = true;
    offset += piece.length;
  }
  if (hasHoles) ftruncateSync(file, offset);
  return hasHoles;
}
