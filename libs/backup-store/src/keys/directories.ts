import { isObjectName } from '@lateen/api-types';
import { AppError, quoted } from '@lateen/errors';

/** The directory of one backup, or of one restore, with the slash behind it. `prefix` is the location's, without slashes around. */
export function directoryIn(prefix: string, kind: 'backups' | 'restores', name: string): string {
  // Another name could lead to the directory of another one, or of all.
  if (!isObjectName(name)) {
    const noun = kind === 'backups' ? 'Backup' : 'Restore';
    throw new AppError('BACKUP_NAME_INVALID', `${quoted(name)} is not the name of a ${noun}`);
  }
  return `${directoryOfAll(prefix, kind)}${name}/`;
}

/** Where all of them are. */
export const directoryOfAll = (prefix: string, kind: 'backups' | 'restores'): string =>
  `${prefix === '' ? '' : `${prefix}/`}${kind}/`;
