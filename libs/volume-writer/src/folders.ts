import { closeSync, constants, lstatSync, mkdirSync, openSync, unlinkSync } from 'node:fs';
import type { Attributes } from './attributes.ts';
import type { EntryAttributes } from './entry-attributes.ts';
import type { EntryPlace } from './entry-place.ts';
import { volumeError } from './volume-error.ts';

/** As kopia makes folders, until they are whole. */
const folderModeAtFirst = 0o700;

export function makeFolder({ path, at }: EntryPlace): void {
  try {
    try {
      mkdirSync(at, folderModeAtFirst);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      // A link is replaced even if a folder is behind it: that may lie anywhere.
      if (path === '' || lstatSync(at).isDirectory()) return;
      unlinkSync(at);
      mkdirSync(at, folderModeAtFirst);
    }
  } catch (error) {
    throw volumeError('making the folder', path, error);
  }
}

export function finishFolder({ path, at }: EntryPlace, given: EntryAttributes, attributes: Attributes): void {
  try {
    const noFollow = path === '' ? 0 : constants.O_NOFOLLOW;
    const folder = openSync(at, constants.O_RDONLY | constants.O_DIRECTORY | noFollow);
    try {
      attributes.give(folder, path, given);
    } finally {
      closeSync(folder);
    }
  } catch (error) {
    throw volumeError('finishing the folder', path, error);
  }
}
