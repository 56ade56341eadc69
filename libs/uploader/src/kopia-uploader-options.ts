import type { Clock, Logger, Random } from '@lateen/kernel';
import type { DirectRestore } from '@lateen/kopia-restore';
import type { KopiaSession, SnapshotIdentity } from '@lateen/repository';
import type { Programs } from './attributes/programs.ts';
import type { BlockOptions } from './block/block-options.ts';
import type { BlockSplice } from './block/block-splice.ts';

export interface RestateRequest {
  snapshotID: string;
  source: SnapshotIdentity;
  signal: AbortSignal;
}

export interface KopiaUploaderOptions {
  /** The repository; the caller opens and closes it. */
  session: KopiaSession;
  clock: Clock;
  /** Makes the keys that link snapshots and attribute manifests. */
  random: Random;
  /** Read and write what kopia does not keep. */
  programs: Programs;
  log: Logger;
  /** Opens the repository for a restore without the engine; absent where only the engine restores. */
  openDirect?: ((signal: AbortSignal) => Promise<DirectRestore>) | undefined;
  /**
   * Stores the manifest of a snapshot again with tags as Velero has them, and returns its new ID; absent where they stay as the
   * command line writes them. See `restateTags` of `@lateen/repository-session`.
   */
  restateTags?: ((request: RestateRequest) => Promise<string>) | undefined;
  /** When an earlier attempt of the same restore may have begun to write (epoch ms); absent in the first. */
  sinceMs?: number | undefined;
  /** For volumes of volumeMode Block. */
  block: BlockOptions;
  /** How such a volume is uploaded without reading all of it; absent where that is not known. */
  blockSplice?: BlockSplice | undefined;
  /** Files read or written at the same time when the config does not say. */
  parallelFiles: number;
  /** The most files at the same time that memory allows, whatever the config says. */
  parallelMax?: number | undefined;
  /**
   * Seconds after which an upload writes down what it has: then that is there for the next attempt, and its memory is
   * free. Absent means the engine's default, 45 min.
   */
  checkpointSeconds?: number | undefined;
  /** What the repository's configuration says for all of its block volumes; a DataUpload may say otherwise for its own. */
  blockSplitter?: string | undefined;
  /** How long the clean-up of a snapshot that nobody wants may take. */
  discardMs: number;
  /** Makes sure that what was restored is on the volume (syncfs). Rejects with an AppError when it is not. */
  flush(volumePath: string, signal: AbortSignal): Promise<void>;
}
