/** The bytes of one index file, opened: in memory, in a file on scratch, or to be had from the store again. */
export interface IndexSource {
  readonly size: number;
  /** All bytes, where they are in memory. */
  readonly whole?: Uint8Array | undefined;
  /** May be a view of what is in memory: not to be changed. */
  read(offset: number, length: number, signal: AbortSignal): Promise<Uint8Array>;
  close(): Promise<void>;
}

export const memorySource = (whole: Uint8Array, onClose: () => void): IndexSource => ({
  size: whole.length,
  whole,
  read: (offset, length) => Promise.resolve(whole.subarray(offset, offset + length)),
  close: async () => onClose(),
});
