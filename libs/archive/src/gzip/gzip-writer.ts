import { handled, MemberQueue } from './member-queue.ts';

export interface GzipWriterOptions {
  /** Of zlib, 1 to 9; {@link levelDefault} when absent. */
  level?: number;
}

/**
 * Takes little more than half of the CPU of zlib's own choice, 6, and makes archives a tenth larger (bench/RESULTS.md): the controller
 * has one core for everything, and a bucket has room. 1 saves nothing more.
 */
export const levelDefault = 3;

/** Two cores are kept busy, and one member waits for a store that is slow for a moment. */
const membersMax = 3;

/** Bytes of what is compressed at once. Less packs worse, more is held for longer. */
const megabyte = 1024 * 1024;
/** So that what ends a member seldom makes its buffer grow. */
const slackBytes = 64 * 1024;

export interface GzipWriter {
  /** As {@link MemberQueue.push}. Pieces of text end where a member may. */
  add(text: string | Uint8Array): Promise<void> | undefined;
  end(): Promise<void>;
  abort(reason: unknown): void;
  /** gzip; read once, while `add` is called. */
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly plainBytes: number;
  readonly compressedBytes: number;
}

/** Compresses what is added, in members of about 1 MiB, in the thread pool. Holds no more than four of them. */
export function gzipWriter(options: GzipWriterOptions = {}): GzipWriter {
  const members = memberWriter(options);
  return {
    add: (text) => {
      members.write(text, typeof text === 'string' ? Buffer.byteLength(text) : text.length);
      return members.boundary();
    },
    end: () => members.end(),
    abort: (reason) => members.queue.abort(reason),
    pieces: members.queue.pieces,
    get plainBytes() {
      return members.plainBytes;
    },
    get compressedBytes() {
      return members.queue.compressedBytes;
    },
  };
}

/** The same for who decides where members end. */
export interface MemberWriter {
  write(text: string | Uint8Array, bytes: number): void;
  /** Where the next byte goes: the number of its member, and its place in that one unpacked. */
  readonly at: { member: number; offset: number };
  /** A member may end here. As {@link MemberQueue.push}. */
  boundary(): Promise<void> | undefined;
  end(): Promise<void>;
  readonly plainBytes: number;
  readonly queue: MemberQueue;
}

export interface MemberWriterOptions extends GzipWriterOptions {
  /** A member ends at the first boundary after this many bytes. */
  memberBytes?: number;
}

export function memberWriter({ level = levelDefault, memberBytes = megabyte }: MemberWriterOptions): MemberWriter {
  const queue = new MemberQueue({ level, membersMax });
  let plainBytes = 0;
  let member = 0;
  // Used again when it is packed: a new one for each member would be collected too late.
  const spare: Buffer[] = [];
  let held: Buffer = Buffer.allocUnsafe(memberBytes + slackBytes);
  let length = 0;
  const grow = (bytes: number) => {
    const larger = Buffer.allocUnsafe(Math.max(length + bytes, held.length * 2));
    held.copy(larger, 0, 0, length);
    held = larger;
  };
  const push = () => {
    const [buffer, full] = [held, held.subarray(0, length)];
    held = spare.pop() ?? Buffer.allocUnsafe(memberBytes + slackBytes);
    length = 0;
    member++;
    return queue.push(full, () => {
      if (buffer.length === memberBytes + slackBytes) spare.push(buffer);
    });
  };
  const finish = async () => {
    // A file of nothing is a member of nothing, not an empty file.
    if (length > 0 || plainBytes === 0) void push();
    await queue.end();
  };
  return {
    queue,
    write: (text, bytes) => {
      if (length + bytes > held.length) grow(bytes);
      if (typeof text === 'string') held.write(text, length, bytes);
      else held.set(text, length);
      length += bytes;
      plainBytes += bytes;
    },
    boundary: () => (length < memberBytes ? queue.room() : push()),
    end: () => handled(finish()),
    get plainBytes() {
      return plainBytes;
    },
    get at() {
      return { member, offset: length };
    },
  };
}
