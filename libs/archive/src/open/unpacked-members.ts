import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { AppError } from '@lateen/errors';
import { orAborted, semaphore } from '@lateen/kernel';

const inThreadPool: (packed: Uint8Array, options: { chunkSize: number; maxOutputLength: number }) => Promise<Buffer> =
  promisify(gunzip);

/** As many as Node has threads for it. */
const unpackedAtOnce = 4;
/** zlib's least. */
const chunkBytesMin = 64;

export interface UnpackedMembersOptions {
  /** Of members that are kept; one is kept however large it is. */
  bytesMax: number;
  /** Compressed. */
  read(member: number): Promise<Uint8Array>;
  /** Unpacked. */
  bytesOf(member: number): number;
}

/** The last used members, unpacked. A request for a member that is being unpacked waits for the same work. */
export class UnpackedMembers {
  readonly #options: UnpackedMembersOptions;
  /** The one that was asked for last is at the end. */
  readonly #members = new Map<number, Promise<Buffer>>();
  readonly #places = semaphore({
    placesMax: unpackedAtOnce,
    // Those who read are bounded by what they do with it.
    waitingMax: Number.POSITIVE_INFINITY,
    full: () => new RangeError('too many members are read at once'),
  });
  #bytes = 0;

  constructor(options: UnpackedMembersOptions) {
    this.#options = options;
  }

  /** A view; it must not be changed. @throws what `read` throws; ARCHIVE_SCRATCH_FAILED; the signal's reason */
  async get(member: number, signal: AbortSignal): Promise<Buffer> {
    signal.throwIfAborted();
    const known = this.#members.get(member);
    if (known !== undefined) this.#members.delete(member);
    else this.#bytes += this.#options.bytesOf(member);
    const unpacking = known ?? this.#unpacked(member);
    this.#members.set(member, unpacking);
    if (known === undefined) {
      this.#forgetOldest();
      unpacking.catch(() => this.#forget(member, unpacking));
    }
    return await orAborted(unpacking, signal);
  }

  clear(): void {
    this.#members.clear();
    this.#bytes = 0;
  }

  async #unpacked(member: number): Promise<Buffer> {
    const release = await this.#places.take();
    try {
      const bytes = this.#options.bytesOf(member);
      // One more than there is: a chunk that is full makes zlib go round again.
      const chunkSize = Math.max(chunkBytesMin, bytes + 1);
      return await unpacked(await this.#options.read(member), { chunkSize, maxOutputLength: chunkSize });
    } finally {
      release();
    }
  }

  #forgetOldest(): void {
    for (const [member, unpacking] of this.#members) {
      if (this.#bytes <= this.#options.bytesMax || this.#members.size === 1) return;
      this.#forget(member, unpacking);
    }
  }

  #forget(member: number, unpacking: Promise<Buffer>): void {
    if (this.#members.get(member) !== unpacking) return;
    this.#members.delete(member);
    this.#bytes -= this.#options.bytesOf(member);
  }
}

async function unpacked(packed: Uint8Array, options: { chunkSize: number; maxOutputLength: number }): Promise<Buffer> {
  try {
    return await inThreadPool(packed, options);
  } catch (cause) {
    throw new AppError('ARCHIVE_SCRATCH_FAILED', 'what was kept of the archive is damaged', { retry: 'later', cause });
  }
}
