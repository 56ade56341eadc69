import { createHash } from 'node:crypto';
import type { Restore } from '@lateen/api-types';

/**
 * The name of a restored VolumeSnapshot and of its content: the original name is still in use in the backup's cluster, and two
 * restores of one backup have separate objects (backup-and-restore.md section 12).
 */
export const restoredSnapshotName = ({ metadata }: Restore, name: string): string =>
  createHash('sha256')
    .update(`${metadata.uid ?? ''}/${name}`)
    .digest('hex');
