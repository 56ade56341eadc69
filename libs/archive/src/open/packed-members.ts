import { AppError, byteSize } from '@lateen/errors';
import { archiveTooLarge } from '../read/archive-error.ts';
import { openScratchFile, type ScratchFile } from './scratch-file.ts';

export interface PackedMembersOptions {
  /** A directory of the file system in which the process may write. */
  scratchDirectory: string;
  /** What has more goes into a file as a whole. */
  memoryBytesMax: number;
  scratchBytesMax: number;
}

/** Compressed members, appended one after the other and read in any order: in memory while they are few, else in a scratch file. */
export class PackedMembers {
  readonly #options: PackedMembersOptions;
  /** Where each member ends. */
  readonly #ends: number[] = [];
  #inMemory: Uint8Array[] = [];
  #file: ScratchFile | undefined;
  #isClosed = false;

  constructor(options: PackedMembersOptions) {
    this.#options = options;
  }

  get bytes(): number {
    return this.#ends.at(-1) ?? 0;
  }

  get isInMemory(): boolean {
    return this.#file === undefined;
  }

  /** One call at a time. @throws ARCHIVE_SCRATCH_FAILED, ARCHIVE_TOO_LARGE */
  async append(member: Uint8Array): Promise<void> {
    const bytes = this.bytes + member.length;
    const { memoryBytesMax, scratchBytesMax, scratchDirectory } = this.#options;
    if (this.#file === undefined && bytes > memoryBytesMax) {
      this.#file = await openScratchFile(scratchDirectory);
      for (const earlier of this.#inMemory) await this.#file.append(earlier);
      this.#inMemory = [];
    }
    // A copy: what zlib gives is the beginning of a larger buffer, which would stay as a whole.
    if (this.#file === undefined) this.#inMemory.push(new Uint8Array(member));
    else if (bytes > scratchBytesMax) {
      throw archiveTooLarge(
        `the archive takes more than ${byteSize(scratchBytesMax)} compressed, the most that is kept in the scratch directory`,
      );
    } else await this.#file.append(member);
    this.#ends.push(bytes);
  }

  /** @throws ARCHIVE_SCRATCH_FAILED, ARCHIVE_CLOSED */
  async read(member: number): Promise<Uint8Array> {
    if (this.#isClosed) throw new AppError('ARCHIVE_CLOSED', 'the archive is not read any more');
    const [from, to] = [member === 0 ? 0 : this.#ends[member - 1], this.#ends[member]];
    if (from === undefined || to === undefined) throw new RangeError(`the archive has no member ${member}`);
    return (await this.#file?.read(from, to - from)) ?? this.#inMemory[member] ?? new Uint8Array();
  }

  /** Safe to repeat. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#inMemory = [];
    await this.#file?.close();
  }
}
