import { type BackupStorageLocationAccessMode, backupStorageLocationAccessModes } from '@lateen/api-types';
import { quoted } from '@lateen/errors';
import { badFlag } from '../refuse-flag.ts';

/** @throws AppError BAD_FLAG naming the modes */
export function parseAccessMode(text: string): BackupStorageLocationAccessMode {
  const found = backupStorageLocationAccessModes.find((mode) => mode === text);
  if (found === undefined)
    throw badFlag(`--access-mode ${quoted(text)} is not an access mode`, 'Use ReadWrite or ReadOnly.');
  return found;
}
