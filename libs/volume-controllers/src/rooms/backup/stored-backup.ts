import { type BlockCatalog, backupUrl } from '@lateen/block-store';
import { isAppError } from '@lateen/errors';
import type { StoredBackupFacts } from '@lateen/volume-decisions';

/**
 * A backup as the target has it; `absent` when the target was read and does not have it.
 * @throws errors of the store; BLOCK_STORE_FILE for a file that cannot be used
 */
export async function storedBackup(
  catalog: BlockCatalog,
  { url, volume, backup }: { readonly url: string; readonly volume: string; readonly backup: string },
  signal: AbortSignal,
): Promise<StoredBackupFacts | 'absent'> {
  try {
    const stored = await catalog.readBackup(volume, backup, { signal });
    const of = await catalog.readVolume(volume, { signal });
    return {
      name: backup,
      createdTime: stored.createdTime,
      snapshotName: stored.snapshotName,
      snapshotCreatedAt: stored.snapshotCreatedAt,
      size: String(stored.sizeBytes),
      labels: stored.labels,
      compressionMethod: stored.compressionMethod,
      newlyUploaded: String(stored.newlyUploadedBytes),
      reUploaded: String(stored.reUploadedBytes),
      url: backupUrl(url, { volume, backup }),
      volumeSize: String(of.sizeBytes),
      volumeCreated: of.createdTime,
    };
  } catch (error) {
    if (isAppError(error, 'BLOCK_BACKUP_NOT_FOUND') || isAppError(error, 'BLOCK_VOLUME_NOT_FOUND')) return 'absent';
    throw error;
  }
}
