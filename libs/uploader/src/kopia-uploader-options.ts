import type { Clock, Logger, Random } from '@lateen/kernel';
import type { DirectRestore } from '@lateen/kopia-restore';
import type { KopiaSession, SnapshotIdentity } from '@lateen/repository';
import type { Programs } from './attributes/programs.ts';
import type { BlockOptions } from './block/block-options.ts';
import type { BlockSplice } from './block/block-splice.ts';
import type { FileSplice } from './files/file-splice.ts';

export interface RestateRequest {
  snapshotID: string;
  source: SnapshotIdentity;
  signal: AbortSignal;
}

export interface KopiaUploaderOptions {
  /** The repository; the caller opens and closes it. */
  session: KopiaSession;
  clock: Clock;
  /** Generates the keys that link snapshots and attribute manifests. */
  random: Random;
  /** The programs that read and write what kopia does not keep. */
  programs: Programs;
  log: Logger;
  /** Opens the repository for a restore without the engine; absent where only the engine may restore. */
  openDirect?: ((signal: AbortSignal) => Promise<DirectRestore>) | undefined;
  /**
   * Stores the manifest of a snapshot again with tags in Velero's form, and returns its new ID; absent where the tags stay as the
   * command line writes them. See `restateTags` of `@lateen/repository-session`.
   */
  restateTags?: ((request: RestateRequest) => Promise<string>) | undefined;
  /** When an earlier attempt of the same restore may have begun to write (epoch ms); absent in the first. */
  sinceMs?: number | undefined;
  /** For volumes of volumeMode Block. */
  block: BlockOptions;
  /** Uploads such a volume without reading all of it; absent where the changes cannot be known. */
  blockSplice?: BlockSplice | undefined;
  /**
   * Uploads large files of a file system volume without reading all of them, where the upload asks for that; absent where the changes
   * cannot be known.
   */
  fileSplice?: FileSplice | undefined;
  /** Files read or written at the same time when the config does not say. */
  parallelFiles: number;
  /** The most files at the same time that memory allows, whatever the config says. */
  parallelMax?: number | undefined;
  /**
   * Seconds after which an upload writes a checkpoint: the next attempt can use it, and its memory is free. Absent means the
   * engine's default, 45 min.
   */
  checkpointSeconds?: number | undefined;
  /**
   * The splitter that the repository's configuration names for all of its block volumes; a DataUpload may name another for its
   * own.
   */
  blockSplitter?: string | undefined;
  /** How long the clean-up of an unneeded snapshot may take, in ms. */
  discardMs: number;
  /** Makes sure that what was restored is on the volume (syncfs). Rejects with an AppError when it is not. */
  flush(volumePath: string, signal: AbortSignal): Promise<void>;
}
