import { AppError, isAppError, quoted } from '@lateen/errors';
import { parseBackupConfig, type StoredBackup } from '../format/backup-config.ts';
import { damagedFile } from '../format/damaged-file.ts';
import { parseVolumeConfig, type StoredVolume, volumeConfigText } from '../format/volume-config.ts';
import { readBounded } from './read-bounded.ts';
import type { StoreContext } from './store-context.ts';

/** Labels may hold the state of a volume as text; no real file comes near this size. */
const volumeConfigBytesMax = 8 * 1024 * 1024;

const otherFile = 'Check which program wrote it. Restore the earlier file, or delete this one.';

/** @throws BLOCK_VOLUME_NOT_FOUND, BLOCK_STORE_FILE, what the store throws */
export async function readVolume(
  { store, paths }: StoreContext,
  volume: string,
  signal: AbortSignal,
): Promise<StoredVolume> {
  const key = paths.volume(volume).config;
  const bytes = await readBounded(store, key, volumeConfigBytesMax, signal).catch((cause: unknown) => {
    if (!isAppError(cause, 'OBJECT_NOT_FOUND')) throw cause;
    throw new AppError('BLOCK_VOLUME_NOT_FOUND', cannotFind(key), {
      cause,
      nextStep: 'Check the name of the volume and the URL of the backup target.',
    });
  });
  if (bytes === 'too-large') throw damagedFile(key, `it has more than ${volumeConfigBytesMax} bytes`, otherFile);
  const read = parseVolumeConfig(bytes.toString('utf8'), key);
  if (read.name !== volume) throw damagedFile(key, `it is that of the volume ${quoted(read.name)}`, otherFile);
  return read;
}

/** Longhorn's message, which clients show. */
export const cannotFind = (key: string): string => `cannot find ${key} in backupstore`;

/** As {@link readVolume}; undefined when there is none. */
export async function findVolume(
  context: StoreContext,
  volume: string,
  signal: AbortSignal,
): Promise<StoredVolume | undefined> {
  try {
    return await readVolume(context, volume, signal);
  } catch (error) {
    if (isAppError(error, 'BLOCK_VOLUME_NOT_FOUND')) return undefined;
    throw error;
  }
}

export async function writeVolume(
  { store, paths }: StoreContext,
  volume: StoredVolume,
  signal: AbortSignal,
): Promise<void> {
  await store.put(paths.volume(volume.name).config, Buffer.from(volumeConfigText(volume)), { signal });
}

/** @throws BLOCK_BACKUP_NOT_FOUND, BLOCK_STORE_FILE, what the store throws */
export async function readBackup(
  { store, paths }: StoreContext,
  volume: string,
  backup: string,
  signal: AbortSignal,
): Promise<StoredBackup> {
  const key = paths.volume(volume).backup(backup);
  const read = await parseBackupConfig(store.read(key, { signal }), key).catch((cause: unknown) => {
    if (!isAppError(cause, 'OBJECT_NOT_FOUND')) throw cause;
    throw new AppError('BLOCK_BACKUP_NOT_FOUND', cannotFind(key), {
      cause,
      nextStep: 'Check the names of backup and volume; it may have been deleted.',
    });
  });
  if (read.name === backup && read.volumeName === volume) return read;
  const whose = `the backup ${quoted(read.name)} of the volume ${quoted(read.volumeName)}`;
  throw damagedFile(key, `it is that of ${whose}`, otherFile);
}
