import { createHash } from 'node:crypto';
import type { Restore } from '@lateen/api-types';

/**
 * The name of a VolumeSnapshot and of its content as a restore brings them back: that of the backup is still taken where the backup was
 * made, and two restores of one backup have objects of their own (backup-and-restore.md section 12).
 */
export const restoredSnapshotName = ({ metadata }: Restore, name: string): string =>
  createHash('sha256')
    .update(`${metadata.uid ?? ''}/${name}`)
    .digest('hex');
