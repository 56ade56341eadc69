import type { Clock, Logger } from '@lateen/kernel';
import type { ResticSession } from '@lateen/repository';
import type { Programs } from '../attributes/programs.ts';
import type { BlockOptions } from '../block/block-options.ts';

export interface ResticUploaderOptions {
  /** The repository; the caller opens and closes it. */
  session: ResticSession;
  clock: Clock;
  log: Logger;
  /** Read what restic does not keep. */
  programs: Programs;
  /** For volumes of volumeMode Block. */
  block: BlockOptions;
  /** The most connections to the store, whatever the configuration says: what memory allows. */
  connectionsMax?: number | undefined;
  /** How long the clean-up of a snapshot or a lock that nobody wants may take. */
  discardMs: number;
  /** Makes sure that what was restored is on the volume (syncfs). Rejects with an AppError when it is not. */
  flush(volumePath: string, signal: AbortSignal): Promise<void>;
  /** Bytes in use on the file system of a path: restic 0.14 does not say how far a restore is. */
  usedBytes(volumePath: string): Promise<number>;
}
