import { AppError } from '@lateen/errors';
import { splitterKey, splitterOf } from './splitter.ts';
import { uploaderTypeOf } from './uploader-type.ts';

/**
 * Whether the data mover configuration of an upload can be followed; asked before anything is made for it, since a wrong
 * name is the user's to correct. @throws UPLOADER_TYPE_UNKNOWN, SPLITTER_UNKNOWN, SPLITTER_UNSUPPORTED
 */
export function checkUploadConfig(config: Readonly<Record<string, string>> | null | undefined): void {
  const type = uploaderTypeOf(config);
  const splitter = splitterOf(config);
  if (splitter === undefined || type === 'kopia') return;
  throw new AppError('SPLITTER_UNSUPPORTED', `dataMoverConfig.${splitterKey} "${splitter}" is nothing for ${type}`, {
    nextStep: 'Only kopia lets one choose; leave it out, or use UploaderType kopia.',
  });
}
