import { AppError, isAppError, quoted } from '@lateen/errors';
import { eachAtOnce, type Random } from '@lateen/kernel';
import {
  chunksOf,
  type FolderEntry,
  folderEntries,
  type KopiaRepository,
  type ObjectId,
  readObject,
  snapshotRoot,
} from '@lateen/kopia-format';
import { depthMax, isUnreadable } from './who-needs.ts';

export interface VerifySnapshotPorts {
  repository: Pick<KopiaRepository, 'manifest' | 'readContent'>;
  random: Pick<Random, 'next'>;
}

/** A block volume as it was when its snapshot was taken. */
export interface ComparedVolume {
  readonly sizeBytes: number;
  /** Fills `into` from `offset`. */
  read(into: Uint8Array, offset: number): Promise<void>;
}

export interface VerifySnapshotOptions {
  snapshotID: string;
  /** Of the pieces of data, chosen by chance; 100: all. Folders and lists of pieces are always read. */
  percent: number;
  /** Its bytes are compared with those that are stored; for the snapshot of a block volume. */
  volume?: ComparedVolume | undefined;
  /** Bytes that were checked, of how many in the snapshot. */
  onProgress(done: number, total: number): void;
  /** Told of each finding, a sentence. */
  onProblem(text: string): void;
  signal: AbortSignal;
}

/** What was checked. */
export interface VerifiedSnapshot {
  /** In all files of the snapshot. */
  totalBytes: number;
  /** Read from the repository, and compared with their hashes. */
  readBytes: number;
  /** Of those, compared with the volume. */
  comparedBytes: number;
}

/** Bytes of a file that are one content. */
interface Piece {
  contentId: string;
  path: string;
  start: number;
  length: number;
}

/** Contents that are read at the same time; each is in memory, twice when it is compared. */
const piecesAtOnce = 8;

/**
 * Reads a snapshot as a restore would, and writes it nowhere: each content is decrypted and compared with its hash. What is damaged
 * or differs is reported, not thrown.
 * @throws REPOSITORY_FORMAT_UNSUPPORTED, MANIFEST_NOT_FOUND; VOLUME_NOT_COMPARABLE when there is a volume and the snapshot is not of a block volume;
 * the store's errors, those of `volume.read`, the signal's reason
 */
export async function verifySnapshot(
  ports: VerifySnapshotPorts,
  options: VerifySnapshotOptions,
): Promise<VerifiedSnapshot> {
  const root = snapshotRoot(await ports.repository.manifest(options.snapshotID, options.signal));
  return await new SnapshotVerification(ports, options, root).run();
}

class SnapshotVerification {
  readonly #ports: VerifySnapshotPorts;
  readonly #options: VerifySnapshotOptions;
  readonly #root: FolderEntry;
  readonly #verified: VerifiedSnapshot;
  #doneBytes = 0;

  constructor(ports: VerifySnapshotPorts, options: VerifySnapshotOptions, root: FolderEntry) {
    [this.#ports, this.#options, this.#root] = [ports, options, root];
    this.#verified = { totalBytes: root.tree?.bytes ?? root.size, readBytes: 0, comparedBytes: 0 };
  }

  async run(): Promise<VerifiedSnapshot> {
    await eachAtOnce(this.#entry(this.#root, '', 0), piecesAtOnce, (piece) => this.#piece(piece));
    return this.#verified;
  }

  async *#entry(entry: FolderEntry, path: string, depth: number): AsyncGenerator<Piece> {
    const { objectId, type, size } = entry;
    if (objectId === undefined) return;
    if (type !== 'folder') {
      if (this.#options.volume !== undefined) this.#mustBeVolume(entry, depth, this.#options.volume);
      yield* this.#pieces(objectId, { path, start: 0, length: size });
    } else if (depth < depthMax) yield* this.#folder(objectId, path, depth);
    else this.#options.onProblem(`folder ${quoted(path)} lies deeper than any file system allows`);
  }

  async *#folder(objectId: ObjectId, path: string, depth: number): AsyncGenerator<Piece> {
    try {
      let count = 0;
      for await (const entries of folderEntries(this.#bytes(objectId), { isPathAllowed: true })) {
        count += entries.length;
        if (this.#options.volume !== undefined && count !== 1) throw notOfBlockVolume();
        for (const entry of entries)
          yield* this.#entry(entry, path === '' ? entry.name : `${path}/${entry.name}`, depth + 1);
      }
    } catch (error) {
      this.#unreadable(error, path === '' ? 'the top folder' : `folder ${quoted(path)}`);
    }
  }

  async *#pieces(
    { contentId, indirection }: ObjectId,
    { path, start, length }: { path: string; start: number; length: number },
  ): AsyncGenerator<Piece> {
    if (indirection === 0) {
      yield { contentId, path, start, length };
      return;
    }
    try {
      for await (const chunks of chunksOf(this.#bytes({ contentId, indirection: indirection - 1 })))
        for (const chunk of chunks)
          yield* this.#pieces(chunk.objectId, { path, start: start + chunk.start, length: chunk.length });
    } catch (error) {
      this.#unreadable(error, `the list of pieces of ${quoted(path)}`);
    }
  }

  async #piece({ contentId, path, start, length }: Piece): Promise<void> {
    const { random, repository } = this.#ports;
    const { percent, onProblem, onProgress, volume, signal } = this.#options;
    const isChosen = random.next() * 100 < percent;
    if (isChosen) {
      const where = `${quoted(path)}, ${length} bytes from ${start} on`;
      try {
        const stored = await repository.readContent(contentId, signal);
        this.#verified.readBytes += stored.length;
        if (stored.length !== length) onProblem(`${where}: content ${contentId} has ${stored.length} bytes`);
        else if (volume !== undefined) await this.#compare(volume, stored, start);
      } catch (error) {
        this.#unreadable(error, where);
      }
    }
    this.#doneBytes += length;
    onProgress(this.#doneBytes, Math.max(this.#doneBytes, this.#verified.totalBytes));
  }

  async #compare(volume: ComparedVolume, stored: Uint8Array, start: number): Promise<void> {
    const bytes = Buffer.allocUnsafe(stored.length);
    await volume.read(bytes, start);
    this.#verified.comparedBytes += stored.length;
    if (bytes.equals(stored)) return;
    const at = bytes.findIndex((byte, index) => byte !== stored[index]);
    this.#options.onProblem(`the volume has other bytes than the snapshot from offset ${start + at} on`);
  }

  /** The only file of the snapshot, and no larger than the volume. */
  #mustBeVolume({ type, size }: FolderEntry, depth: number, { sizeBytes }: ComparedVolume): void {
    if (type !== 'file' || depth !== 1) throw notOfBlockVolume();
    if (size > sizeBytes)
      throw new AppError('VOLUME_NOT_COMPARABLE', `the snapshot has ${size} bytes, the volume ${sizeBytes}`, {
        nextStep: 'Compare it with a volume made of the snapshot that it was uploaded from.',
      });
  }

  /** @throws an error that is not about what is stored */
  #unreadable(error: unknown, what: string): void {
    if (!isUnreadable(error)) throw error;
    this.#options.onProblem(`${what} cannot be read: ${isAppError(error) ? error.message : ''}`);
  }

  #bytes(objectId: ObjectId): AsyncGenerator<Uint8Array> {
    return readObject(objectId, (id, ends) => this.#ports.repository.readContent(id, ends), this.#options.signal);
  }
}

const notOfBlockVolume = (): AppError =>
  new AppError('VOLUME_NOT_COMPARABLE', 'the snapshot is not of a block volume: it has files', {
    nextStep: 'Verify it without comparing it with the volume.',
  });
