import { AppError } from '@lateen/errors';
import { kopiaRepositoryType, type RepositoryType, repositoryTypes } from './repository-names.ts';

/** The key of `spec.dataMoverConfig` with which a DataUpload or DataDownload chooses its engine. */
export const uploaderTypeKey = 'UploaderType';

/** The engine of a data mover configuration; kopia when none is set. @throws UPLOADER_TYPE_UNKNOWN */
export const uploaderTypeOf = (config: Readonly<Record<string, string>> | null | undefined): RepositoryType =>
  knownUploaderType(config?.[uploaderTypeKey] || kopiaRepositoryType, `dataMoverConfig.${uploaderTypeKey}`);

/** @param where the path of the value in the object, for the message @throws UPLOADER_TYPE_UNKNOWN */
export function knownUploaderType(wanted: string, where: string): RepositoryType {
  const found = repositoryTypes.find((type) => type === wanted);
  if (found !== undefined) return found;
  throw new AppError('UPLOADER_TYPE_UNKNOWN', `${where} "${wanted}" is not an engine of Lateen`, {
    nextStep: 'Write kopia (the default) or restic.',
  });
}
