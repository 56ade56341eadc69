import { AppError } from '@lateen/errors';
import { contentOpener, ivBytes } from './content-cipher.ts';
import { contentHash } from './content-hash.ts';
import type { ContentKeys } from './content-keys.ts';
import type { ContentLocation } from './content-location.ts';
import { decompress } from './decompress.ts';

/** The bytes of one content from what is stored of it. May be a view of memory that is not shared. */
export type DecodeContent = (location: ContentLocation, packed: Uint8Array) => Uint8Array;

/**
 * Makes what decrypts, decompresses and checks contents (length and hash), one after the other; each thread needs its own.
 * What it returns throws CONTENT_CORRUPT, which names content and pack, and REPOSITORY_FORMAT_UNSUPPORTED for a compression
 * that is not known.
 */
export async function contentDecoder(keys: ContentKeys): Promise<DecodeContent> {
  const open = contentOpener(keys);
  const hashOf = await contentHash(keys);
  return (location, packed) => {
    const { contentId, compressionHeaderId, originalLength } = location;
    if (packed.length !== location.length) throw corrupt(location, `${packed.length} bytes were read`);
    const sealed = open(packed, ivOf(contentId));
    if (sealed === undefined) throw corrupt(location, 'its bytes are not those that were written');
    const bytes = compressionHeaderId === 0 ? sealed : decompress(sealed, compressionHeaderId, originalLength);
    if (bytes === undefined) throw corrupt(location, 'it cannot be decompressed');
    if (bytes.length !== originalLength)
      throw corrupt(location, `it has ${bytes.length} bytes instead of ${originalLength}`);
    if (!contentId.endsWith(hashOf(bytes))) throw corrupt(location, 'its bytes do not have its hash');
    return bytes;
  };
}

const ivOf = (contentId: string) => Buffer.from(contentId.slice(-2 * ivBytes), 'hex');

const corrupt = ({ contentId, packId, offset, length }: ContentLocation, why: string) =>
  new AppError(
    'CONTENT_CORRUPT',
    `content ${contentId} in pack ${packId} (offset ${offset}, length ${length}) is damaged: ${why}`,
    { details: { contentId, packId, offset, length } },
  );
