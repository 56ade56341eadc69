import type { Backup, Restore } from '@lateen/api-types';

/** A Backup as the server sends it; fields of the test override it. */
export const testBackup = (parts: Partial<Backup> = {}): Backup => ({
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: { name: 'nightly', namespace: 'velero', uid: 'backup-uid', ...parts.metadata },
  spec: {},
  ...omitMetadata(parts),
});

/** A Restore of that backup. */
export const testRestore = (parts: Partial<Restore> = {}): Restore => ({
  apiVersion: 'velero.io/v1',
  kind: 'Restore',
  metadata: { name: 'back', namespace: 'velero', uid: 'restore-uid', ...parts.metadata },
  spec: { backupName: 'nightly' },
  ...omitMetadata(parts),
});

function omitMetadata<T extends { metadata?: unknown }>({ metadata: _, ...rest }: T): Omit<T, 'metadata'> {
  return rest;
}
