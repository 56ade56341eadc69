import { basename } from 'node:path';
import { isVolumeName } from '../frontend-deps.ts';

/**
 * Name of the one file in the file system of a front end. Once that file system is mounted nowhere any more, as after the end of its pod, this
 * name is all that the kernel shows of the file below a loop device (`/pvc-1.k2x9`): so it contains the volume, and the mark of the owner.
 */
export const frontFile = (volume: string, mark: string): string => `${volume}.${mark}`;

/** The kernel says so of a file that it cannot look up any more. */
const deleted = ' (deleted)';

/** The volume whose front end has this file; undefined when it is not of a front end with that mark. */
export function volumeOfFile(backingFile: string, mark: string): string | undefined {
  const name = basename(backingFile.endsWith(deleted) ? backingFile.slice(0, -deleted.length) : backingFile);
  const volume = name.slice(0, -`.${mark}`.length);
  return name === frontFile(volume, mark) && isVolumeName(volume) ? volume : undefined;
}
