import { annotations } from '@lateen/api-types';
import { quoted } from '@lateen/errors';
import { readTransferRate, transferRateForm } from '@lateen/storage-location';
import { badFlag } from '../refuse-flag.ts';

/** Flags that limit the rates of a location, each with the annotation that stores it. */
export interface RateFlags {
  uploadLimit?: string;
  downloadLimit?: string;
}

/**
 * The annotations for the flags; only those that are given. Null removes one: `0` and an empty text mean no limit. A rate is
 * stored as the user wrote it. @throws AppError BAD_FLAG
 */
export function rateAnnotations({ uploadLimit, downloadLimit }: RateFlags): Record<string, string | null> {
  return {
    ...(uploadLimit === undefined
      ? {}
      : { [annotations.uploadBytesPerSecond]: parseRate('--upload-limit', uploadLimit) }),
    ...(downloadLimit === undefined
      ? {}
      : { [annotations.downloadBytesPerSecond]: parseRate('--download-limit', downloadLimit) }),
  };
}

function parseRate(flag: '--upload-limit' | '--download-limit', text: string): string | null {
  if (text === '' || text === '0') return null;
  const read = readTransferRate(text);
  if ('wrong' in read) throw badFlag(`${flag} ${quoted(text)} ${read.wrong}`, `${transferRateForm}; 0 is no limit.`);
  return text;
}
