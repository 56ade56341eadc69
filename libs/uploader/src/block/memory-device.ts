import { AppError } from '@lateen/errors';
import type { BlockDevice, BlockDevices } from './block-device.ts';

/** A block device in memory that records the calls, for tests. */
export class MemoryDevice implements BlockDevice {
  readonly path = '/device';
  readonly content: Buffer;
  readonly reads: { start: number; end: number }[] = [];
  readonly writes: { start: number; end: number }[] = [];
  flushed = false;
  closed = false;
  /** Whether the storage can zero a range itself. */
  canPunch = false;
  /** Reading or writing this offset fails. */
  brokenAt: number | undefined;

  constructor(content: Buffer) {
    this.content = content;
  }

  get sizeBytes(): number {
    return this.content.length;
  }

  async read(into: Uint8Array, offset: number): Promise<void> {
    this.#mustWork('BLOCK_READ_FAILED', offset, into.length);
    this.reads.push({ start: offset, end: offset + into.length });
    into.set(this.content.subarray(offset, offset + into.length));
  }

  async write(data: Uint8Array, offset: number): Promise<void> {
    this.#mustWork('BLOCK_WRITE_FAILED', offset, data.length);
    this.writes.push({ start: offset, end: offset + data.length });
    this.content.set(data, offset);
  }

  async punch(offset: number, length: number): Promise<boolean> {
    if (this.canPunch) this.content.fill(0, offset, offset + length);
    return this.canPunch;
  }

  async flush(): Promise<void> {
    this.flushed = true;
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  /** The only device of its machine. */
  devices(): BlockDevices {
    return { open: async () => this };
  }

  #mustWork(code: string, offset: number, length: number): void {
    const { brokenAt } = this;
    if (brokenAt === undefined || brokenAt < offset || brokenAt >= offset + length) return;
    throw new AppError(code, `block device ${this.path} failed at offset ${brokenAt}: EIO`, { retry: 'later' });
  }
}
