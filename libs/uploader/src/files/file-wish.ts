import type { UploadRequest } from '@lateen/datapath';
import { readsChangesOfFiles } from '@lateen/repository';

const MiB = 1024 * 1024;

/** Smaller files cost about as much to look up as to read. */
const largeFileBytesDefault = 64 * MiB;

/** Below it, files are read; a chunk of most splitters is as long. */
const largeFileBytesMin = 4 * MiB;

/** Key of `spec.dataMoverConfig` for the size from which on a file is large, in MiB. */
const minSizeKey = 'ChangedBlocksInFilesMinMiB';

type Config = UploadRequest['config'];

/** Whether an upload reads only changed blocks of large files. Not while the volume is written to: maps are true of a snapshot only. */
export const wantsChangedBlocksInFiles = ({ config, source }: Pick<UploadRequest, 'config' | 'source'>): boolean =>
  readsChangesOfFiles(config) && source.isLive !== true;

/** From which size on a file is large; the default for anything but a positive whole number. */
export function largeFileBytes(config: Config): number {
  const wanted = Number(config[minSizeKey]);
  const bytes = Number.isInteger(wanted) && wanted > 0 ? wanted * MiB : largeFileBytesDefault;
  return Math.max(bytes, largeFileBytesMin);
}
