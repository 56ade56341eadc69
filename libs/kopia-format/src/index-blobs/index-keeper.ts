import type { Logger, Random } from '@lateen/kernel';
import { blobIv, blobOpener } from '../blob-opener.ts';
import { contentDecipher, partCipher } from '../content-cipher.ts';
import type { ContentKeys } from '../content-keys.ts';
import type { RepositoryStore } from '../repository-store.ts';
import { decryptedPieces } from './decrypted-pieces.ts';
import { indexCorrupt } from './index-corrupt.ts';
import { type IndexSource, memorySource } from './index-source.ts';
import type { ListedBlob } from './listed-blob.ts';
import { ScratchError, scratchSource } from './scratch-source.ts';
import { storeSource } from './store-source.ts';

export interface IndexKeeperOptions {
  repository: RepositoryStore;
  keys: ContentKeys;
  /** Of index files in memory, together. */
  memoryBytes: number;
  scratchDirectory: string;
  random: Random;
  log: Logger;
}

/**
 * Keeps index blobs, opened: in memory as long as it lasts, then on scratch, and where that is full in the store itself. Each was
 * verified as a whole before anything of it is read.
 */
export class IndexKeeper {
  readonly #options: IndexKeeperOptions;
  readonly #open: ReturnType<typeof blobOpener>;
  #memoryBytes = 0;
  #isScratchOfUse = true;

  constructor(options: IndexKeeperOptions) {
    this.#options = options;
    this.#open = blobOpener(options.keys);
  }

  /** @throws AppError INDEX_CORRUPT, and those of the store */
  async keep(blob: ListedBlob, signal: AbortSignal): Promise<IndexSource> {
    if (this.#memoryBytes + blob.sizeBytes <= this.#options.memoryBytes) return this.#inMemory(blob, signal);
    if (!this.#isScratchOfUse) return this.#inStore(blob, signal);
    const { scratchDirectory, random } = this.#options;
    try {
      const pieces = this.#pieces(blob, signal);
      return this.#withStore(await scratchSource(scratchDirectory, random.uuid(), pieces), blob);
    } catch (error) {
      if (!(error instanceof ScratchError)) throw error;
      this.#giveUpScratch(error);
      return this.#inStore(blob, signal);
    }
  }

  async #inMemory({ blobId, sizeBytes }: ListedBlob, signal: AbortSignal): Promise<IndexSource> {
    const { repository } = this.#options;
    this.#memoryBytes += sizeBytes;
    try {
      const bytes = this.#open(blobId, await repository.store.get(repository.keyOf(blobId), { signal }));
      if (bytes === undefined) throw notAsWritten(blobId);
      return memorySource(bytes, () => {
        this.#memoryBytes -= sizeBytes;
      });
    } catch (error) {
      this.#memoryBytes -= sizeBytes;
      throw error;
    }
  }

  /** Reads the blob once to verify it. */
  async #inStore(blob: ListedBlob, signal: AbortSignal): Promise<IndexSource> {
    let size = 0;
    for await (const piece of this.#pieces(blob, signal)) size += piece.length;
    return this.#stored(blob, size, signal);
  }

  #stored({ blobId }: ListedBlob, size: number, signal: AbortSignal): Promise<IndexSource> {
    const { repository, keys } = this.#options;
    return storeSource({ repository, blobId, iv: ivOf(blobId), cipher: partCipher(keys), size }, signal);
  }

  /** Continues with the store when the scratch file is no longer readable. */
  #withStore(scratch: IndexSource, blob: ListedBlob): IndexSource {
    let stored: Promise<IndexSource> | undefined;
    return {
      size: scratch.size,
      read: async (offset, length, signal) => {
        if (stored === undefined)
          try {
            return await scratch.read(offset, length, signal);
          } catch (error) {
            this.#giveUpScratch(error);
            stored ??= this.#stored(blob, scratch.size, signal);
          }
        return (await stored).read(offset, length, signal);
      },
      close: () => scratch.close(),
    };
  }

  #pieces({ blobId }: ListedBlob, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const { repository, keys } = this.#options;
    const stored = repository.store.read(repository.keyOf(blobId), { signal });
    return decryptedPieces(contentDecipher(keys), ivOf(blobId), stored, () => notAsWritten(blobId));
  }

  #giveUpScratch(error: unknown): void {
    if (this.#isScratchOfUse)
      this.#options.log.warn(
        { err: error },
        'scratch cannot hold the index of the repository; it is read from the store',
      );
    this.#isScratchOfUse = false;
  }
}

function ivOf(blobId: string): Uint8Array {
  const iv = blobIv(blobId);
  if (iv === undefined) throw indexCorrupt(blobId, 'its name has no hash');
  return iv;
}

const notAsWritten = (blobId: string) => indexCorrupt(blobId, 'its bytes are not those that were written');
