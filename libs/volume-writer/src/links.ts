import { symlinkSync, unlinkSync } from 'node:fs';
import type { Attributes } from './attributes.ts';
import type { EntryAttributes } from './entry-attributes.ts';
import type { EntryPlace } from './entry-place.ts';
import { volumeError } from './volume-error.ts';

export interface LinkToMake {
  /** Any bytes; a text is one in UTF-8. */
  target: string | Uint8Array;
  given: EntryAttributes;
  attributes: Attributes;
}

export function makeLink({ path, at }: EntryPlace, { target, given, attributes }: LinkToMake): void {
  try {
    const to = Buffer.from(target);
    try {
      symlinkSync(to, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      // Fails for a folder.
      unlinkSync(at);
      symlinkSync(to, at);
    }
    attributes.giveLink(at, path, given);
  } catch (error) {
    throw volumeError('making the link', path, error);
  }
}
