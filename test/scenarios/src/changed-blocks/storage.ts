/** A snapshot on the storage: what the volume held. */
export interface StorageSnapshot {
  readonly handle: string;
  readonly volumeHandle: string;
  readonly content: Buffer;
}

/** The unit in which the storage writes and compares. */
export const blockBytes = 128;

/** Volumes and snapshots of a CSI driver, in memory. One volume is in use, others were in use before. */
export class Storage {
  volumeHandle = 'vol-1';
  content: Buffer;
  readonly #snapshots = new Map<string, StorageSnapshot>();
  #made = 0;
  #volumes = 1;

  constructor(sizeBytes: number) {
    this.content = Buffer.alloc(sizeBytes);
  }

  /** Replaces the volume by another one, as a restore of the claim does. */
  replace(content: Buffer): void {
    this.volumeHandle = `vol-${++this.#volumes}`;
    this.content = content;
  }

  /** Keeps the content up to the new size, and appends zeroes. */
  resize(sizeBytes: number): void {
    const resized = Buffer.alloc(sizeBytes);
    this.content.copy(resized);
    this.content = resized;
  }

  takeSnapshot(): StorageSnapshot {
    const { volumeHandle } = this;
    const snapshot = { handle: `snap-${++this.#made}`, volumeHandle, content: Buffer.from(this.content) };
    this.#snapshots.set(snapshot.handle, snapshot);
    return snapshot;
  }

  snapshot(handle: string): StorageSnapshot | undefined {
    return this.#snapshots.get(handle);
  }

  deleteSnapshot(handle: string): void {
    this.#snapshots.delete(handle);
  }
}

/** Blocks that differ between two contents of the same size, in ascending order. */
export function differingBlocks(one: Buffer, other: Buffer): number[] {
  const blocks: number[] = [];
  for (let at = 0; at < one.length; at += blockBytes)
    if (!one.subarray(at, at + blockBytes).equals(other.subarray(at, at + blockBytes))) blocks.push(at / blockBytes);
  return blocks;
}

/** Bytes that differ between two contents of the same size, as ranges that neither overlap nor touch. */
export function differingRanges(one: Buffer, other: Buffer): { offset: number; length: number }[] {
  const ranges: { offset: number; length: number }[] = [];
  for (let at = 0; at < one.length; at++) {
    if (one[at] === other[at]) continue;
    const last = ranges.at(-1);
    if (last !== undefined && last.offset + last.length === at) last.length += 1;
    else ranges.push({ offset: at, length: 1 });
  }
  return ranges;
}
