import type { DataRun, FileExtent } from '@lateen/file-extents';

/** A file of a mounted snapshot, and where its bytes lie on the device. The file system is not written meanwhile. */
export interface FileState {
  /** Below the root of the volume, without a slash in front. */
  path: string;
  sizeBytes: number;
  /** Time of the last modification, in nanoseconds since 1970. */
  mtimeNs: bigint;
  /**
   * In ascending order. `home` is the place on the device, undefined where it is not known. What lies between the runs is a hole and
   * reads as zeros.
   */
  runs: readonly DataRun[];
}

/**
 * What an extent of a mounted snapshot says of the bytes. An unwritten extent has no home: its bytes are zeros, and not those of the
 * device. Blocks that other files share have one: the snapshot is not written, so they hold the bytes of each of these files.
 */
export const runOf = ({ startBytes, endBytes, physicalBytes, isUnwritten }: FileExtent): DataRun => ({
  startBytes,
  endBytes,
  home: isUnwritten ? undefined : physicalBytes,
});
