import type { Clock, Logger } from '@lateen/kernel';
import type { KopiaSession } from '@lateen/repository';

export interface KopiaUploaderOptions {
  /** The repository; the caller opens and closes it. */
  session: KopiaSession;
  clock: Clock;
  log: Logger;
  /** Files read or written at the same time when the config does not say. */
  cpus: number;
  /** How long the clean-up of a snapshot that nobody wants may take. */
  discardMs: number;
  /** Makes sure that what was restored is on the volume (syncfs). Rejects with an AppError when it is not. */
  flush(volumePath: string, signal: AbortSignal): Promise<void>;
}
