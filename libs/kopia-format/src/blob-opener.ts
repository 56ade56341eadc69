import { contentOpener, ivBytes } from './content-cipher.ts';
import type { ContentKeys } from './content-keys.ts';

/** Opens index blobs and compaction logs. Their names hold the hash that their key comes from. */
export function blobOpener(keys: ContentKeys): (blobId: string, bytes: Uint8Array) => Uint8Array | undefined {
  const open = contentOpener(keys);
  return (blobId, bytes) => {
    const iv = blobIv(blobId);
    return iv === undefined ? undefined : open(bytes, iv);
  };
}

/** The 32 hex digits before the first dash, or at the end. */
export function blobIv(blobId: string): Uint8Array | undefined {
  const hex = (blobId.split('-', 1)[0] ?? '').slice(-2 * ivBytes);
  return /^[0-9a-f]{32}$/.test(hex) ? Buffer.from(hex, 'hex') : undefined;
}
