import { type FileHandle, mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BackupResult, type BlockSource, blockBackupStore, type Extent } from '@lateen/block-store';
import { nativeCodec } from '@lateen/block-store/native-codec';
import { type Clock, silentLogger, systemRandom } from '@lateen/kernel';
import { fsStore } from '@lateen/object-store-fs';
import type { BenchRow } from '../bench-row.ts';

const MiB = 1024 * 1024;
const volumeBytes = 2 * 1024 * MiB;
const usedBytes = 256 * MiB;
const blockBytes = 2 * MiB;
/** The unit in which an engine reports changes. */
const unitBytes = 64 * 1024;
const changedBytes = 20e6;
const readMax = 60e6;

interface Options {
  clock: Clock;
  signal: AbortSignal;
  say(text: string): void;
}

/** The distribution of the 20 MB: the number of pieces, at places where no block starts. */
const spreads = [1, 5, 20] as const;

/**
 * A sparse file of 2 GiB with 256 MiB of data is backed up by blocks to a directory; then 20 MB of it change and it is backed up again: the
 * bytes that are read, and those that are stored.
 */
export async function benchBlockBackup({ clock, signal, say }: Options): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'lateen-bench-block-backup-'));
  try {
    const volume = await SparseVolume.make(join(folder, 'volume.img'));
    const fspath = join(folder, 'store');
    await mkdir(fspath);
    const deps = { clock, random: systemRandom, log: silentLogger, codec: nativeCodec };
    const store = blockBackupStore({ store: fsStore({ fspath }), path: '', ...deps });
    const snapshots: string[] = [];
    const backup = async (): Promise<BackupResult> => {
      const snapshot = `snap-${snapshots.length + 1}`;
      const names = { volume: 'pvc-bench', backup: `backup-${snapshots.length + 1}`, snapshot };
      const plan = { ...names, snapshots: new Set(snapshots), mode: 'incremental', blockBytes } as const;
      const kind = { compressionMethod: 'lz4', labels: {}, storageClassName: 'longhorn' } as const;
      const result = await store.backup(volume.source(), { ...plan, ...kind }, { signal });
      snapshots.push(snapshot);
      return result;
    };
    say('block-backup: 256 MiB of 2 GiB are written and backed up');
    await volume.write(0, usedBytes);
    await backup();
    const rows: BenchRow[] = [];
    for (const pieces of spreads) {
      say(`block-backup: 20 MB in ${pieces} pieces`);
      await volume.change(pieces);
      rows.push(rowOf(pieces, volume, await backup()));
    }
    await volume.close();
    return rows;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function rowOf(pieces: number, volume: SparseVolume, result: BackupResult): BenchRow {
  if (result.full !== undefined) throw new Error(`the backup was a full one: ${result.full}`);
  const where = pieces === 1 ? 'in one piece' : `in ${pieces} pieces`;
  const stored = Number(result.backup.newlyUploadedBytes) / 1e6;
  return {
    name: `20 MB of 2 GiB changed ${where}: read by the incremental backup`,
    value: volume.takeReadBytes() / 1e6,
    unit: 'MB',
    target: `under ${readMax / 1e6} MB`,
    reached: volume.lastReadBytes < readMax,
    note: `${result.newBlocks} blocks of 2 MiB, ${stored.toFixed(1)} MB stored`,
  };
}

class SparseVolume {
  readonly #file: FileHandle;
  #changed: Extent[] = [];
  #readBytes = 0;
  #salt = 1;
  lastReadBytes = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async make(path: string): Promise<SparseVolume> {
    const file = await open(path, 'w+');
    await file.truncate(volumeBytes);
    return new SparseVolume(file);
  }

  /** Bytes that cannot be compressed. */
  async write(at: number, length: number): Promise<void> {
    const bytes = Buffer.alloc(length);
    this.#salt++;
    for (let index = 0; index + 4 <= length; index += 4) {
      bytes.writeUInt32LE(Math.imul(index + this.#salt * 7_919, 2_654_435_761) >>> 0, index);
    }
    await this.#file.write(bytes, 0, length, at);
    const start = Math.floor(at / unitBytes) * unitBytes;
    const end = Math.ceil((at + length) / unitBytes) * unitBytes;
    this.#changed.push({ startBytes: BigInt(start), lengthBytes: BigInt(end - start) });
  }

  async change(pieces: number): Promise<void> {
    this.#changed = [];
    this.#readBytes = 0;
    const step = Math.floor(volumeBytes / pieces);
    const length = changedBytes / pieces;
    // At any place of a block: the golden ratio distributes them evenly.
    for (let piece = 0; piece < pieces; piece++) {
      const into = Math.floor(((piece * 0.618_034 + 0.3) % 1) * blockBytes);
      await this.write(piece * step + 64 * blockBytes * (pieces === 1 ? 1 : 0) + into, length);
    }
  }

  takeReadBytes(): number {
    this.lastReadBytes = this.#readBytes;
    this.#readBytes = 0;
    return this.lastReadBytes;
  }

  source(): BlockSource {
    const changed = this.#changed;
    return {
      sizeBytes: BigInt(volumeBytes),
      changed: async function* () {
        yield* changed;
      },
      read: async (at, into) => {
        const { bytesRead } = await this.#file.read(into, 0, into.length, Number(at));
        if (bytesRead !== into.length) throw new Error(`the volume ends at ${at}`);
        this.#readBytes += bytesRead;
      },
    };
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
