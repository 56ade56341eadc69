import type { PodVolumeBackupSpec, PodVolumeRestoreSpec } from '@lateen/api-types';
import { kopiaRepositoryType, type RepositoryType, resticRepositoryType } from './repository-names.ts';
import { knownUploaderType, uploaderTypeKey } from './uploader-type.ts';

type PodVolumeSpec = Pick<PodVolumeBackupSpec & PodVolumeRestoreSpec, 'uploaderType' | 'uploaderSettings'> & {
  repoIdentifier?: string;
};

/**
 * The engine of a PodVolumeBackup or PodVolumeRestore. Without a type it is kopia (api.md section 11), unless the object also has
 * the address of a restic repository: the oldest versions of Velero wrote no type, and supported restic only.
 * @throws UPLOADER_TYPE_UNKNOWN
 */
export function podVolumeUploaderType({ uploaderType, repoIdentifier }: PodVolumeSpec): RepositoryType {
  if (uploaderType) return knownUploaderType(uploaderType, 'spec.uploaderType');
  return repoIdentifier ? resticRepositoryType : kopiaRepositoryType;
}

/**
 * The engine settings of a PodVolumeBackup or PodVolumeRestore, in the form of a `dataMoverConfig`. @throws UPLOADER_TYPE_UNKNOWN
 */
export function podVolumeConfig(spec: PodVolumeSpec): Readonly<Record<string, string>> {
  return { ...spec.uploaderSettings, [uploaderTypeKey]: podVolumeUploaderType(spec) };
}
