import { AppError } from '@lateen/errors';
import { archiveFormatVersion, versionPath } from './format-version.ts';
import { type GzipWriterOptions, memberWriter } from './gzip/gzip-writer.ts';
import { archiveLimitsDefault } from './read/archive-limits.ts';
import { blockBytes, paddingOf } from './tar/block.ts';
import { entryHeaders } from './tar/entry-header.ts';

export interface ArchiveWriterOptions extends GzipWriterOptions {
  /** Of every entry, epoch ms. */
  mtimeMs: number;
}

export interface ArchiveWriter {
  /**
   * Entries appear in the order of the calls. Takes the body in any case.
   * @returns a promise when the reader is behind: who awaits it keeps memory bounded, wherever entries come from
   * @throws the reason of an abort; ARCHIVE_READER_GONE after the reader has left; ARCHIVE_PATH_INVALID
   */
  add(path: string, body: string | Uint8Array): Promise<void> | undefined;
  /** Writes the end. Resolves when the reader has everything. @throws as `add` */
  end(): Promise<void>;
  /** Reader and writer fail with `reason`. The consumer of `pieces` calls it when it fails before it began to read. */
  abort(reason: unknown): void;
  /** The tar.gz; read once, while `add` is called. Leaving the loop early fails the writer. */
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly entries: number;
  readonly tarBytes: number;
  readonly compressedBytes: number;
}

/** An archive whose first entry says its version, in gzip members that end where entries do (docs/adr/0026). */
export function archiveWriter(options: ArchiveWriterOptions): ArchiveWriter {
  const writer = tarGzWriter(options);
  // The first megabyte does not wait for the reader.
  void writer.add(versionPath, `${archiveFormatVersion}\n`);
  return writer;
}

/** The same without an entry of its own. */
export function tarGzWriter(options: ArchiveWriterOptions): ArchiveWriter {
  const headerOf = entryHeaders(options.mtimeMs);
  const members = memberWriter(options);
  let entries = 0;
  const write = (text: string | Uint8Array, bytes: number) => members.write(text, bytes);
  return {
    add: (path, body) => {
      checkPath(path);
      const sizeBytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
      const header = headerOf(path, sizeBytes);
      write(header, header.length);
      write(body, sizeBytes);
      write(zeros.subarray(0, paddingOf(sizeBytes)), paddingOf(sizeBytes));
      entries++;
      return members.boundary();
    },
    end: () => {
      write(zeros, zeros.length);
      return members.end();
    },
    abort: (reason) => members.queue.abort(reason),
    pieces: members.queue.pieces,
    get entries() {
      return entries;
    },
    get tarBytes() {
      return members.plainBytes;
    },
    get compressedBytes() {
      return members.queue.compressedBytes;
    },
  };
}

/** Two blocks of them end an archive. */
const zeros = new Uint8Array(2 * blockBytes);

/** What a reader would take for another path: parts that are empty, `.` or `..`. */
const oddPart = /(?:^|\/)\.{0,2}(?:\/|$)/;

function checkPath(path: string): void {
  const isWrong = oddPart.test(path) || path.includes('\0') || path.length > archiveLimitsDefault.pathBytesMax;
  if (!isWrong && path.isWellFormed() && Buffer.byteLength(path) <= archiveLimitsDefault.pathBytesMax) return;
  throw new AppError('ARCHIVE_PATH_INVALID', `an archive cannot hold the path ${JSON.stringify(path.slice(0, 200))}`);
}
