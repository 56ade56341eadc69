import { byteSize } from '@lateen/errors';
import { inflate } from '../gzip/inflate.ts';
import { blockBytes, paddingOf } from '../tar/block.ts';
import { isEndBlock, parseHeader, type TarHeader } from '../tar/parse-header.ts';
import { parsePaxRecords } from '../tar/pax-records.ts';
import { archiveTooLarge, brokenArchive } from './archive-error.ts';
import { type ArchiveLimits, archiveLimitsDefault } from './archive-limits.ts';
import { entryPath } from './entry-path.ts';
import { type TarBytes, tarBytes } from './tar-bytes.ts';

export interface ArchiveEntry {
  path: string;
  /** A view of the bytes that were read; a caller that keeps it for long copies it. */
  body: Uint8Array;
}

export interface ReadArchiveOptions {
  limits?: Partial<ArchiveLimits>;
  signal?: AbortSignal | undefined;
}

/**
 * The regular files of a tar.gz, in their order, as they come. Takes what other tars write too: directories and links are
 * passed over, long names (pax, GNU) are read, gzip members may follow each other, and one that is not compressed any more is taken as it is.
 * @throws ARCHIVE_BROKEN, also when it ends before its end is marked; ARCHIVE_PATH_ESCAPES; ARCHIVE_TOO_LARGE; what `pieces` throws
 */
export async function* readArchive(
  pieces: AsyncIterable<Uint8Array>,
  { limits, signal }: ReadArchiveOptions = {},
): AsyncGenerator<ArchiveEntry> {
  const all = { ...archiveLimitsDefault, ...limits };
  const source = inflate(pieces, brokenArchive);
  try {
    const bytes = tarBytes(source, all.totalBytesMax);
    for (;;) {
      signal?.throwIfAborted();
      const header = await nextHeader(bytes, all);
      if (header === undefined) return await bytes.drain();
      const { path, sizeBytes, type } = header;
      if (!isFile(header)) {
        await bytes.skip(sizeBytes + paddingOf(sizeBytes));
        continue;
      }
      if (type === sparse)
        throw brokenArchive(`${JSON.stringify(path)} is stored as a sparse file, which is not supported`);
      yield { path: entryPath(path), body: await bodyOf(bytes, header, all.entryBytesMax) };
    }
  } finally {
    await source.return(undefined);
  }
}

const sparse = 'S';

/** A path that ends in a slash was a directory before there was a type for it. */
const isFile = ({ type, path }: TarHeader): boolean =>
  (type === '0' || type === '7' || type === sparse) && !path.endsWith('/');

/** Of extended headers and long names: as much as other readers take. */
const extensionBytesMax = 1024 * 1024;

/** The next header, with what extensions before it say. @returns undefined at the end of the archive */
async function nextHeader(bytes: TarBytes, { pathBytesMax }: ArchiveLimits): Promise<TarHeader | undefined> {
  let path: string | undefined;
  let sizeBytes: number | undefined;
  for (;;) {
    const block = bytes.takeNow(blockBytes) ?? (await bytes.take(blockBytes));
    if (block === undefined) throw brokenArchive('its end is missing');
    if (isEndBlock(block)) return undefined;
    const header = parseHeader(block);
    if (header === undefined) throw brokenArchive('an entry has no valid tar header');
    if (!isExtension(header.type)) {
      const whole = { ...header, path: path ?? header.path, sizeBytes: sizeBytes ?? header.sizeBytes };
      if (Buffer.byteLength(whole.path) > pathBytesMax) {
        throw archiveTooLarge(`a path in the archive has more than ${pathBytesMax} bytes, the most that is read`);
      }
      return whole;
    }
    const body = await bodyOf(bytes, header, extensionBytesMax);
    if (header.type === 'L') path = textOf(body);
    if (header.type !== 'x') continue;
    const records = parsePaxRecords(body);
    const size = records?.get('size');
    if (records === undefined || !/^(?:0|[1-9]\d{0,14})$/.test(size ?? '0'))
      throw brokenArchive('an extended header cannot be read');
    path = records.get('path') ?? path;
    sizeBytes = size === undefined ? sizeBytes : Number(size);
  }
}

/** pax (`x`, and `g` for all that follow, in which no path makes sense), GNU tar's long name and long link. */
const isExtension = (type: string): boolean => type === 'x' || type === 'g' || type === 'L' || type === 'K';

const textOf = (body: Buffer): string => {
  const end = body.indexOf(0);
  return body.toString('utf8', 0, end < 0 ? body.length : end);
};

async function bodyOf(bytes: TarBytes, { path, sizeBytes }: TarHeader, bytesMax: number): Promise<Buffer> {
  if (sizeBytes > bytesMax) {
    throw archiveTooLarge(
      `${JSON.stringify(path.slice(0, 200))} in the archive has ${byteSize(sizeBytes)}; the most that is read of one is ${byteSize(bytesMax)}`,
    );
  }
  const wanted = sizeBytes + paddingOf(sizeBytes);
  const whole = bytes.takeNow(wanted) ?? (await bytes.take(wanted));
  if (whole === undefined) throw brokenArchive('it ends in the middle of an entry');
  return whole.subarray(0, sizeBytes);
}
