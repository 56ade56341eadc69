/** A volume of volumeMode Block, open for one data path. */
export interface BlockDevice {
  readonly path: string;
  readonly sizeBytes: number;
  /** Fills `into` from `offset`. @throws BLOCK_READ_FAILED naming device and offset */
  read(into: Uint8Array, offset: number): Promise<void>;
  /** @throws BLOCK_WRITE_FAILED naming device and offset */
  write(data: Uint8Array, offset: number): Promise<void>;
  /**
   * Lets the storage make a range read as zeroes without writing it. Returns false where the storage cannot do that; the content
   * of the range is unknown then. On abort: rejects with the signal's reason; part of the range may be zeroed.
   */
  punch(offset: number, length: number, signal: AbortSignal): Promise<boolean>;
  /** Resolves when everything written is on the storage. @throws BLOCK_WRITE_FAILED */
  flush(): Promise<void>;
  /** Safe to repeat. Writes that were not flushed may be lost. */
  close(): Promise<void>;
}

/** Opens block devices: those of the machine in the mover, plain files in tests. */
export interface BlockDevices {
  /** @throws BLOCK_DEVICE_NOT_FOUND, BLOCK_DEVICE_WRONG_KIND, BLOCK_DEVICE_NOT_PERMITTED */
  open(path: string, access: 'read' | 'write'): Promise<BlockDevice>;
}
