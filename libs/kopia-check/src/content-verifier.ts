import { isAppError } from '@lateen/errors';
import { type ContentKeys, type ContentLocation, contentDecoder } from '@lateen/kopia-format';

/** Contents whose bytes have come. */
export interface VerifyTask {
  bytes: Uint8Array<SharedArrayBuffer>;
  /** The offset in the pack of `bytes[0]`. */
  offset: number;
  contents: readonly ContentLocation[];
}

/** A content that is not what was written. */
export interface DamagedContent {
  location: ContentLocation;
  /** A sentence that names content and pack. */
  why: string;
}

export type VerifyContents = (task: VerifyTask) => Promise<DamagedContent[]> | DamagedContent[];

/** Decodes contents and says which of them are damaged; for worker threads. @throws REPOSITORY_FORMAT_UNSUPPORTED when it is called */
export async function contentVerifier(keys: ContentKeys): Promise<(task: VerifyTask) => DamagedContent[]> {
  const decode = await contentDecoder(keys);
  return ({ bytes, offset, contents }) =>
    contents.flatMap((location) => {
      const start = location.offset - offset;
      try {
        decode(location, bytes.subarray(start, start + location.length));
        return [];
      } catch (error) {
        if (!isAppError(error, 'CONTENT_CORRUPT')) throw error;
        return [{ location, why: error.message }];
      }
    });
}
