import { backupDefinition, restoreDefinition, scheduleDefinition } from './backup-and-restore.ts';
import {
  dataDownloadDefinition,
  dataUploadDefinition,
  podVolumeBackupDefinition,
  podVolumeRestoreDefinition,
} from './data-movement.ts';
import type { KindDefinition } from './kind-definition.ts';
import { deleteBackupRequestDefinition, downloadRequestDefinition, serverStatusRequestDefinition } from './requests.ts';
import {
  backupRepositoryDefinition,
  backupStorageLocationDefinition,
  volumeSnapshotLocationDefinition,
} from './storage.ts';

export { type Addition, additions } from './additions.ts';
export type { KindDefinition, PrinterColumn } from './kind-definition.ts';

/** All our kinds. Each has a CRD in deploy/crds; a server that lacks one of them is not usable (api.md section 1). */
export const kindDefinitions: readonly KindDefinition[] = [
  backupDefinition,
  restoreDefinition,
  scheduleDefinition,
  backupStorageLocationDefinition,
  volumeSnapshotLocationDefinition,
  backupRepositoryDefinition,
  deleteBackupRequestDefinition,
  downloadRequestDefinition,
  serverStatusRequestDefinition,
  podVolumeBackupDefinition,
  podVolumeRestoreDefinition,
  dataUploadDefinition,
  dataDownloadDefinition,
];
