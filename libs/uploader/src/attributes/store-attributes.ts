import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { AppError } from '@lateen/errors';
import type { KopiaSession } from '@lateen/repository';
import { tryParseSnapshotJson } from '../snapshot-manifest.ts';
import { uploadFailures } from '../volume-failures.ts';
import { storeManifestArgs } from './attribute-snapshot.ts';
import type { ChunkedInput } from './chunked-input.ts';

export interface StoreOptions {
  session: KopiaSession;
  volumePath: string;
  /** The path of the volume's own snapshots. */
  mainSourcePath: string;
  /** Links the two snapshots. */
  key: string;
  /** Called with the snapshot as soon as it exists, also when the call then fails. */
  onSaved(snapshotID: string): void;
  signal: AbortSignal;
}

/**
 * Streams the lines of a manifest, compressed, into a snapshot of its own. Whatever fails, kopia never stores a part as if it
 * were the whole.
 * @throws what `lines` fails with; as `session.failure`; the signal's reason on abort
 */
export async function storeAttributes(options: StoreOptions, lines: ChunkedInput): Promise<void> {
  const { session, mainSourcePath, key, volumePath, signal, onSaved } = options;
  const gzip = createGzip();
  // Errors reach the run of kopia, whose input this is; when kopia stops reading, the writer stops too.
  pipeline(Readable.from(lines), gzip).catch(() => lines.gone());
  const exit = await session.run(storeManifestArgs(mainSourcePath, key), { stdin: gzip, signal });
  const saved = tryParseSnapshotJson(exit.stdout);
  if (saved !== undefined) onSaved(saved.id);
  signal.throwIfAborted();
  const doing = `storing the attributes of ${volumePath}`;
  if (exit.exitCode !== 0) throw session.failure(exit, doing, uploadFailures);
  // kopia prints either a complete snapshot or nothing when it stores a stream.
  if (saved === undefined)
    throw new AppError('UPLOADER_BAD_ANSWER', `${doing}: kopia did not report the snapshot it made`);
}
