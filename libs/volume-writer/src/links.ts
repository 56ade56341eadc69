import { symlinkSync, unlinkSync } from 'node:fs';
import type { Attributes } from './attributes.ts';
import type { EntryAttributes } from './entry-attributes.ts';
import type { EntryPlace } from './entry-place.ts';
import { volumeError } from './volume-error.ts';

export interface LinkToMake {
  target: string;
  given: EntryAttributes;
  attributes: Attributes;
}

export function makeLink({ path, at }: EntryPlace, { target, given, attributes }: LinkToMake): void {
  try {
    try {
      symlinkSync(target, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      // Fails for a folder.
      unlinkSync(at);
      symlinkSync(target, at);
    }
    attributes.giveLink(at, path, given);
  } catch (error) {
    throw volumeError('making the link', path, error);
  }
}
