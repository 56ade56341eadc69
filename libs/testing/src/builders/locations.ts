import type {
  BackupRepository,
  BackupRepositoryPhase,
  BackupStorageLocation,
  BackupStorageLocationPhase,
} from '@lateen/api-types';
import { builtMetadata, type ObjectParts, withStatus } from './built-object.ts';

/** The location `default`: bucket `backups` on an S3 server; Available by default. */
export function aBackupStorageLocation(
  parts: ObjectParts & {
    phase?: BackupStorageLocationPhase | undefined;
    spec?: Partial<BackupStorageLocation['spec']>;
    status?: Partial<NonNullable<BackupStorageLocation['status']>>;
  } = {},
): BackupStorageLocation {
  const location: BackupStorageLocation = {
    apiVersion: 'velero.io/v1',
    kind: 'BackupStorageLocation',
    metadata: builtMetadata('BackupStorageLocation', { name: 'default', namespace: 'velero' }, parts),
    spec: {
      provider: 'aws',
      objectStorage: { bucket: 'backups' },
      config: { region: 'us-east-1', s3Url: 'http://s3.test:9000', s3ForcePathStyle: 'true' },
      ...parts.spec,
    },
  };
  return withStatus(location, { phase: 'phase' in parts ? parts.phase : 'Available', ...parts.status });
}

/** The kopia repository of namespace `app` in location `default`; Ready by default. */
export function aBackupRepository(
  parts: ObjectParts & {
    phase?: BackupRepositoryPhase | undefined;
    spec?: Partial<BackupRepository['spec']>;
    status?: Partial<NonNullable<BackupRepository['status']>>;
  } = {},
): BackupRepository {
  const labels = {
    'velero.io/volume-namespace': 'app',
    'velero.io/storage-location': 'default',
    'velero.io/repository-type': 'kopia',
  };
  const repository: BackupRepository = {
    apiVersion: 'velero.io/v1',
    kind: 'BackupRepository',
    metadata: builtMetadata('BackupRepository', { name: 'app-default-kopia', namespace: 'velero', labels }, parts),
    spec: {
      volumeNamespace: 'app',
      backupStorageLocation: 'default',
      repositoryType: 'kopia',
      resticIdentifier: '',
      maintenanceFrequency: '1h0m0s',
      ...parts.spec,
    },
  };
  return withStatus(repository, { phase: 'phase' in parts ? parts.phase : 'Ready', ...parts.status });
}
