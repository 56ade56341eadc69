import { AppError } from '@lateen/errors';
import { readFormatVersion, versionPath } from '../format-version.ts';
import { filled } from '../gzip/filled.ts';
import { memberWriter } from '../gzip/gzip-writer.ts';
import { type ArchiveEntry, type ReadArchiveOptions, readArchive } from '../read/read-archive.ts';
import { BodyIndex } from './body-index.ts';
import { PackedMembers } from './packed-members.ts';
import { UnpackedMembers } from './unpacked-members.ts';

export interface OpenArchiveOptions extends ReadArchiveOptions {
  /** Where an archive goes that has more than `memoryBytesMax` compressed: into one file without a name. */
  scratchDirectory: string;
  /** Default: {@link openArchiveDefaults}. */
  memoryBytesMax?: number;
  scratchBytesMax?: number;
  unpackedBytesMax?: number;
  /** Called for each entry in its order while the archive is opened. */
  onEntry?(entry: OpenedEntry): void;
}

/** Four restores at once keep less than 100 MiB. */
export const openArchiveDefaults = {
  memoryBytesMax: 16 * 1024 * 1024,
  /** 20 GB of objects, as they compress. */
  scratchBytesMax: 2 * 1024 * 1024 * 1024,
  /** Objects are restored nearly in the order of the archive, several kinds at once. */
  unpackedBytesMax: 6 * 1024 * 1024,
} as const;

export interface OpenedEntry extends ArchiveEntry {
  /** Names the body in {@link ItemArchive.read}. An entry with the same bytes as the one before it has the same: every object is stored twice. */
  id: number;
}

/** The bodies of an archive by number, wherever they are. */
export interface ItemArchive {
  /** As the archive says; undefined where it says nothing. */
  readonly formatVersion: string | undefined;
  /** What is kept of it. */
  readonly packedBytes: number;
  readonly isInMemory: boolean;
  /**
   * A view of the body; it must not be changed, and a caller that keeps it for long copies it. Many callers may read at the same time.
   * @throws ARCHIVE_SCRATCH_FAILED, ARCHIVE_CLOSED, the signal's reason
   */
  read(id: number, signal: AbortSignal): Promise<Uint8Array>;
  /** Safe to repeat. Reads under way may fail. */
  close(): Promise<void>;
}

/** Less to unpack for one object than in the archive as it is stored, and still compressed nearly as well. */
const memberBytes = 256 * 1024;

/**
 * Reads an archive once, and keeps it so that each body can be read separately: repacked into members of gzip, whatever program wrote it
 * (docs/adr/0035). Keeps twelve bytes for each body beside them, and no path.
 * @throws ARCHIVE_FORMAT_UNKNOWN, ARCHIVE_SCRATCH_FAILED, what `readArchive` and `onEntry` throw; nothing is kept then
 */
export async function openArchive(
  pieces: AsyncIterable<Uint8Array>,
  { scratchDirectory, onEntry = () => {}, limits, signal, ...bounds }: OpenArchiveOptions,
): Promise<ItemArchive> {
  const { memoryBytesMax, scratchBytesMax, unpackedBytesMax } = { ...openArchiveDefaults, ...bounds };
  const packed = new PackedMembers({ scratchDirectory, memoryBytesMax, scratchBytesMax });
  const members = memberWriter({ memberBytes });
  const bodies = new BodyIndex();
  const memberSizes: number[] = [];
  let formatVersion: string | undefined;
  const fill = async () => {
    let before: { body: Uint8Array; id: number } | undefined;
    for await (const { path, body } of readArchive(pieces, { ...(limits === undefined ? {} : { limits }), signal })) {
      if (path === versionPath) formatVersion = readFormatVersion(body);
      const isSame = before !== undefined && Buffer.compare(before.body, body) === 0;
      const id = isSame && before !== undefined ? before.id : bodies.add({ ...members.at, bytes: body.length });
      before = { body, id };
      onEntry({ path, body, id });
      if (isSame) continue;
      memberSizes[members.at.member] = members.at.offset + body.length;
      members.write(body, body.length);
      const behind = members.boundary();
      if (behind !== undefined) await behind;
    }
  };
  const writer = { pieces: members.queue.pieces, end: members.end, abort: (why: unknown) => members.queue.abort(why) };
  try {
    for await (const member of filled(writer, fill)) await packed.append(member);
  } catch (error) {
    await packed.close();
    throw error;
  }
  const unpacked = new UnpackedMembers({
    bytesMax: unpackedBytesMax,
    read: (member) => packed.read(member),
    bytesOf: (member) => memberSizes[member] ?? 0,
  });
  return {
    formatVersion,
    packedBytes: packed.bytes,
    isInMemory: packed.isInMemory,
    read: async (id, reading) => {
      const place = bodies.at(id);
      if (place === undefined) throw new AppError('ARCHIVE_ENTRY_UNKNOWN', `the archive has no body ${id}`);
      // It may stand where a member would begin that nothing came into.
      if (place.bytes === 0) return new Uint8Array();
      const member = await unpacked.get(place.member, reading);
      return member.subarray(place.offset, place.offset + place.bytes);
    },
    close: async () => {
      unpacked.clear();
      await packed.close();
    },
  };
}
