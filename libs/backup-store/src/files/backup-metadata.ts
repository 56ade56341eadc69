import type { Backup } from '@lateen/api-types';
import { AppError, quoted } from '@lateen/errors';
import { isJsonObject, stringify } from '@lateen/kube';
import { parsed } from '../json/json-file.ts';

const what = 'velero-backup.json';

/** The object as it is stored: indented, without a line feed at its end (object-store-layout.md section 3). */
export const backupMetadataText = (backup: Backup): string => stringify(backup, 2);

/**
 * Everything in it is kept, numbers as they were written, so that it can be stored again.
 * @param name of the directory that it is in
 * @throws BACKUP_FILE_BROKEN, also when it is the object of another backup
 */
export function parseBackupMetadata(text: string, name: string): Backup {
  const value = parsed(what, text);
  if (!isJsonObject(value) || value.kind !== 'Backup' || !isJsonObject(value.metadata)) {
    throw new AppError('BACKUP_FILE_BROKEN', `${what} is not a Backup`);
  }
  const spec = isJsonObject(value.spec) ? value.spec : {};
  const called = value.metadata.name;
  if (called !== name) {
    throw new AppError('BACKUP_FILE_BROKEN', `${what} of "${name}" is that of ${quoted(String(called))}`);
  }
  return { ...value, spec } as unknown as Backup;
}
