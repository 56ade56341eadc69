import {
  dataDownloadType,
  dataUploadType,
  podVolumeBackupType,
  podVolumeRestoreType,
  type ResourceType,
} from '@lateen/api-types';
import type { Movement } from '@lateen/data-movement';

/** All kinds of movements. */
export const movementTypes: readonly ResourceType<Movement>[] = [
  dataUploadType,
  dataDownloadType,
  podVolumeBackupType,
  podVolumeRestoreType,
];
