/** A run of bytes of a file. Bytes, never blocks. */
export interface Area {
  startBytes: number;
  endBytes: number;
}

/**
 * A run of a file that has data. `home` is where it lies on the disk; two files that have the same home at the same place share the
 * blocks, and with them the bytes. Undefined: it cannot be told, so it is like nothing else.
 */
export interface DataRun extends Area {
  home: number | undefined;
}
