import { AppError } from '@lateen/errors';
import { splitterKey, splitterOf } from './splitter.ts';
import { uploaderTypeOf } from './uploader-type.ts';

/**
 * Checks the data mover configuration of an upload before anything is created for it, since only the user can correct a wrong
 * name. @throws UPLOADER_TYPE_UNKNOWN, SPLITTER_UNKNOWN, SPLITTER_UNSUPPORTED
 */
export function checkUploadConfig(config: Readonly<Record<string, string>> | null | undefined): void {
  const type = uploaderTypeOf(config);
  const splitter = splitterOf(config);
  if (splitter === undefined || type === 'kopia') return;
  throw new AppError(
    'SPLITTER_UNSUPPORTED',
    `dataMoverConfig.${splitterKey} "${splitter}" is not supported by ${type}`,
    {
      nextStep: 'Only kopia has this setting; leave it out, or use UploaderType kopia.',
    },
  );
}
