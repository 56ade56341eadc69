import type { Clock, Logger } from '@lateen/kernel';
import type { ResticSession } from '@lateen/repository';
import type { Programs } from '../attributes/programs.ts';
import type { BlockOptions } from '../block/block-options.ts';

export interface ResticUploaderOptions {
  /** The repository; the caller opens and closes it. */
  session: ResticSession;
  clock: Clock;
  log: Logger;
  /** The programs that read what restic does not keep. */
  programs: Programs;
  /** For volumes of volumeMode Block. */
  block: BlockOptions;
  /** The most connections to the store that memory allows, whatever the configuration says. */
  connectionsMax?: number | undefined;
  /** How long the clean-up of an unneeded snapshot or lock may take, in ms. */
  discardMs: number;
  /** Makes sure that what was restored is on the volume (syncfs). Rejects with an AppError when it is not. */
  flush(volumePath: string, signal: AbortSignal): Promise<void>;
  /** Bytes in use on the file system of a path: restic 0.14 does not report the progress of a restore. */
  usedBytes(volumePath: string): Promise<number>;
}
