import { byteSize } from '@lateen/errors';
import { archiveTooLarge, brokenArchive } from './archive-error.ts';

/** Takes a given number of bytes at a time from pieces of any size. */
export interface TarBytes {
  /** Without waiting, when the piece in hand has them: nearly always. */
  takeNow(count: number): Buffer | undefined;
  /** @returns undefined when there is not one byte more @throws ARCHIVE_BROKEN when they end before */
  take(count: number): Promise<Buffer | undefined>;
  skip(count: number): Promise<void>;
  /** Reads what is left, to know that it is whole. */
  drain(): Promise<void>;
}

/** What is taken may be a view of a piece: it keeps that one in memory. */
export function tarBytes(source: AsyncIterator<Uint8Array>, totalBytesMax: number): TarBytes {
  let piece: Buffer = Buffer.alloc(0);
  let at = 0;
  let total = 0;
  /** False at the end. */
  const nextPiece = async (): Promise<boolean> => {
    const next = await source.next();
    if (next.done === true) return false;
    const { buffer, byteOffset, length } = next.value;
    piece = Buffer.from(buffer, byteOffset, length);
    at = 0;
    total += length;
    if (total > totalBytesMax) {
      throw archiveTooLarge(`the archive unpacks to more than ${byteSize(totalBytesMax)}, the most that is read`);
    }
    return true;
  };
  const takeNow = (count: number): Buffer | undefined => {
    if (at + count > piece.length) return undefined;
    at += count;
    return piece.subarray(at - count, at);
  };
  const takeAcross = async (count: number): Promise<Buffer | undefined> => {
    const parts: Buffer[] = [];
    let missing = count;
    while (missing > 0) {
      if (at === piece.length && !(await nextPiece())) break;
      const part = piece.subarray(at, at + missing);
      at += part.length;
      missing -= part.length;
      if (part.length > 0) parts.push(part);
    }
    if (missing === count && count > 0) return undefined;
    if (missing > 0) throw brokenArchive('it ends in the middle of an entry');
    return Buffer.concat(parts, count);
  };
  return {
    takeNow,
    take: async (count) => takeNow(count) ?? (await takeAcross(count)),
    skip: async (count) => {
      let missing = count;
      for (;;) {
        const step = Math.min(missing, piece.length - at);
        at += step;
        missing -= step;
        if (missing === 0) return;
        if (!(await nextPiece())) throw brokenArchive('it ends in the middle of an entry');
      }
    },
    drain: async () => {
      while (await nextPiece());
    },
  };
}
