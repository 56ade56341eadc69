import { annotations } from '@lateen/api-types';
import { quoted } from '@lateen/errors';
import { readTransferRate, transferRateForm } from '@lateen/storage-location';
import { badFlag } from '../refuse-flag.ts';

/** Flags of how fast a location may be used, by the annotation that keeps each. */
export interface RateFlags {
  uploadLimit?: string;
  downloadLimit?: string;
}

/**
 * The annotations that the flags ask for; only those given. Null takes one away: `0` and an empty text mean that there is
 * no limit. A rate is stored as it was written. @throws AppError BAD_FLAG
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
