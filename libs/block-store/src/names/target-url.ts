import { AppError, quoted } from '@lateen/errors';
import { checkStoreName } from './store-names.ts';

/** Where a backup target is. `path` has no slash at its ends and may be empty. */
export type TargetUrl =
  | { kind: 's3'; bucket: string /** Undefined where the URL has none. */; region: string | undefined; path: string }
  /** `path` is the exported path, from the root. `options` are the mount options of the URL. */
  | { kind: 'nfs'; server: string; path: string; options: string | undefined }
  /** `path` from the root of the reader's file system, never empty. */
  | { kind: 'directory'; path: string };

const s3Pattern = /^s3:\/\/([^/@?#\s]+)(?:@([^/@?#\s]+))?(?:\/([^?#]*))?$/;
const nfsPattern = /^nfs:\/\/([^/?#\s]+?):(\/[^?#]*)(?:\?([^#]*))?$/;
/** Longhorn calls it vfs. */
const directoryPattern = /^(?:file|vfs):\/\/(\/[^?#]*)$/;
const unsupportedKinds = ['cifs', 'azblob'] as const;

const nextStep = 'Give a URL like s3://bucket@region/path/, nfs://server:/path or file:///path.';

/** @throws BACKUP_TARGET_URL; BACKUP_TARGET_UNSUPPORTED for a kind that the format knows and this version does not */
export function parseTargetUrl(url: string): TargetUrl {
  const s3 = s3Pattern.exec(url);
  if (s3 !== null) {
    const [, bucket = '', region, path = ''] = s3;
    return { kind: 's3', bucket, region, path: checkedPath(url, path) };
  }
  const nfs = nfsPattern.exec(url);
  if (nfs !== null) {
    const [, server = '', path = '', query] = nfs;
    const options = new URLSearchParams(query).get('nfsOptions') ?? undefined;
    return { kind: 'nfs', server, path: checkedPath(url, path), options };
  }
  const directory = directoryPattern.exec(url);
  if (directory !== null) {
    const path = checkedPath(url, directory[1] ?? '');
    if (path !== '') return { kind: 'directory', path };
  }
  const kind = unsupportedKinds.find((each) => url.startsWith(`${each}://`));
  if (kind === undefined)
    throw new AppError('BACKUP_TARGET_URL', `${quoted(url)} is not the URL of a backup target`, { nextStep });
  throw new AppError('BACKUP_TARGET_UNSUPPORTED', `backup targets of the kind ${kind} are not supported`, { nextStep });
}

/** The URL that names a backup of a volume, or the volume itself: `volume.spec.fromBackup`, `backup.status.url`. */
export function backupUrl(target: string, { volume, backup }: BackupOfVolume): string {
  const [where = '', query] = target.split('?', 2);
  const parameters = new URLSearchParams(query);
  if (backup !== undefined) parameters.set('backup', backup);
  parameters.set('volume', volume);
  parameters.sort();
  return `${where}?${parameters}`;
}

export interface BackupOfVolume {
  volume: string;
  backup?: string | undefined;
}

/** @throws BACKUP_TARGET_URL for a URL that names no volume; BLOCK_STORE_NAME for invalid names */
export function parseBackupUrl(url: string): BackupOfVolume & { target: string } {
  const [where = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  const [volume, backup] = [parameters.get('volume') ?? '', parameters.get('backup') ?? undefined];
  if (volume === '') {
    const message = `${quoted(url)} names no volume of a backup target`;
    throw new AppError('BACKUP_TARGET_URL', message, { nextStep: 'Take the URL of a Backup: its status.url.' });
  }
  checkStoreName('volume', volume);
  if (backup !== undefined) checkStoreName('backup', backup);
  parameters.delete('volume');
  parameters.delete('backup');
  const rest = parameters.size === 0 ? '' : `?${parameters}`;
  return { target: `${where}${rest}`, volume, backup };
}

/** A path that other readers would resolve differently leads to other backups, so it is refused. */
function checkedPath(url: string, path: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  const isPlain = parts.every((part) => part !== '.' && part !== '..' && !/[\p{Cc}\\]/u.test(part));
  if (isPlain) return parts.join('/');
  throw new AppError('BACKUP_TARGET_URL', `the path of the backup target ${quoted(url)} cannot be used`, { nextStep });
}
