import { nonceBytes, type PartCipher } from '../content-cipher.ts';
import { rangeOf } from '../range-of.ts';
import type { RepositoryStore } from '../repository-store.ts';
import type { IndexSource } from './index-source.ts';

export interface StoredIndex {
  repository: RepositoryStore;
  blobId: string;
  iv: Uint8Array;
  cipher: PartCipher;
  size: number;
}

/** Where there is neither memory nor scratch: each read is a request. The blob was verified before, as a whole. */
export async function storeSource(stored: StoredIndex, signal: AbortSignal): Promise<IndexSource> {
  const { repository, blobId, iv, cipher, size } = stored;
  const nonce = await rangeOf(repository, blobId, { offset: 0, length: nonceBytes }, signal);
  return {
    size,
    read: async (offset, length, ends) => {
      const block = Math.floor(offset / cipher.blockBytes);
      const skipped = offset % cipher.blockBytes;
      const from = nonceBytes + offset - skipped;
      const bytes = await rangeOf(repository, blobId, { offset: from, length: length + skipped }, ends);
      return cipher.open(nonce, iv, block, bytes).subarray(skipped);
    },
    close: () => Promise.resolve(),
  };
}
