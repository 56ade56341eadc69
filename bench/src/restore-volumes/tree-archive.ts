import { createCipheriv, createHash } from 'node:crypto';

/** One file of a generated tree. Folders are created when necessary. */
export interface TreeFile {
  path: string;
  bytes: number;
  /** Files of the same seed and size have the same bytes. */
  seed: string;
}

const blockBytes = 512;
const pieceBytes = 1024 * 1024;
/** In 2024, so that no file is newer than the time of a comparison. */
const mtimeSeconds = 1_704_067_200;

/** The files as a tar archive (POSIX.1-1988, ustar) in pieces of about 1 MiB, for `tar x`. */
export async function* treeArchive(files: Iterable<TreeFile>): AsyncGenerator<Buffer> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for (const file of files) {
    pending.push(tarHeader(file));
    pendingBytes += blockBytes;
    for (const piece of noisePieces(file)) {
      pending.push(piece);
      pendingBytes += piece.length;
      if (pendingBytes < pieceBytes) continue;
      yield Buffer.concat(pending);
      [pending, pendingBytes] = [[], 0];
    }
    const rest = file.bytes % blockBytes;
    if (rest > 0) pending.push(Buffer.alloc(blockBytes - rest));
  }
  yield Buffer.concat([...pending, Buffer.alloc(2 * blockBytes)]);
}

/** Bytes that cannot be compressed and differ from those of another seed. */
function* noisePieces({ bytes, seed }: TreeFile): Generator<Buffer> {
  const key = createHash('sha256').update(seed).digest();
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  for (let done = 0; done < bytes; done += pieceBytes)
    yield cipher.update(Buffer.alloc(Math.min(pieceBytes, bytes - done)));
}

/** A pure function. */
export function tarHeader({ path, bytes }: TreeFile): Buffer {
  const header = Buffer.alloc(blockBytes);
  const octal = (value: number, offset: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, offset, 'latin1');
  header.write(path, 0, 'utf8');
  octal(0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(bytes, 124, 12);
  octal(mtimeSeconds, 136, 12);
  header.write('0', 156, 'latin1');
  header.write('ustar\0', 257, 'latin1');
  header.write('00', 263, 'latin1');
  header.fill(' ', 148, 156);
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return header;
}
