import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { AppError } from '@lateen/errors';
import type { KopiaSession } from '@lateen/repository';
import { tryParseSnapshotJson } from '../snapshot-manifest.ts';
import { uploadFailures } from '../volume-failures.ts';
import { type ByteText, endLine, headerLine, type ManifestEnd, recordLine } from './attribute-record.ts';
import { storeManifestArgs } from './attribute-snapshot.ts';
import { ChunkedInput } from './chunked-input.ts';
import type { Programs } from './programs.ts';
import { scanAttributes } from './scan-attributes.ts';

/** Lines are gathered up to this length: a call of the compressor for each would cost more than the compression. */
const batchLength = 64 * 1024;

export interface StoreOptions {
  session: KopiaSession;
  programs: Programs;
  volumePath: string;
  /** The path of the volume's own snapshots. */
  mainSourcePath: string;
  /** Links the two snapshots. */
  key: string;
  /** Told of the snapshot as soon as it exists, also when the call fails then. */
  onSaved(snapshotID: string): void;
  /** See `ScanOptions`. */
  onChangedName?(path: ByteText): void;
  signal: AbortSignal;
}

/**
 * Scans a volume and streams what it finds, compressed, into a snapshot of its own. Whatever fails, kopia never takes a part
 * for the whole.
 * @throws as `scanAttributes` and `session.failure`; the signal's reason on abort
 */
export async function storeAttributes(options: StoreOptions): Promise<ManifestEnd> {
  const { signal } = options;
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const plain = new ChunkedInput();
  const gzip = createGzip();
  // Errors go through to kopia's run, whose input it is; when kopia stops reading, nobody writes on either.
  pipeline(Readable.from(plain), gzip).catch(() => plain.gone());
  const stored = runKopia({ ...options, signal: either }, gzip);
  const scanned = writeManifest({ ...options, signal: either }, plain);
  try {
    const [, end] = await Promise.all([stored, scanned]);
    return end;
  } catch (error) {
    // kopia dies while the scan runs, or the scan fails while kopia waits: neither may outlive the other.
    over.abort(error);
    await Promise.allSettled([stored, scanned]);
    signal.throwIfAborted();
    throw error;
  }
}

async function runKopia(options: StoreOptions, stdin: AsyncIterable<Uint8Array>): Promise<void> {
  const { session, mainSourcePath, key, volumePath, signal, onSaved } = options;
  const exit = await session.run(storeManifestArgs(mainSourcePath, key), { stdin, signal });
  const saved = tryParseSnapshotJson(exit.stdout);
  if (saved !== undefined) onSaved(saved.id);
  signal.throwIfAborted();
  const doing = `storing the attributes of ${volumePath}`;
  if (exit.exitCode !== 0) throw session.failure(exit, doing, uploadFailures);
  // Whole, or not answered at all: kopia says nothing else of a stream that it was told to store.
  if (saved === undefined)
    throw new AppError('UPLOADER_BAD_ANSWER', `${doing}: kopia did not report the snapshot it made`);
}

async function writeManifest(options: StoreOptions, plain: ChunkedInput): Promise<ManifestEnd> {
  let batch = headerLine;
  try {
    const end = await scanAttributes({
      ...options,
      onRecord: (record) => {
        batch += recordLine(record);
        if (batch.length < batchLength) return;
        const full = Buffer.from(batch);
        batch = '';
        return plain.write(full);
      },
    });
    await plain.write(Buffer.from(batch + endLine(end)));
    plain.end();
    return end;
  } catch (error) {
    plain.fail(error);
    throw error;
  }
}
