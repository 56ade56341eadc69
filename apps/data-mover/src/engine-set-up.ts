import type { Uploader } from '@lateen/datapath';
import type { Clock, Logger, Random } from '@lateen/kernel';
import type { EngineProcess, RepositoryTarget, RepositoryType, SessionOptions } from '@lateen/repository';
import type { BlockOptions, Programs } from '@lateen/uploader';
import type { EngineBudget } from './engine-budget.ts';
import type { ChangesWish } from './lazy-splice.ts';

/** Ports and settings that any engine may need. */
export interface EngineOptions {
  clock: Clock;
  random: Random;
  log: Logger;
  engines: Readonly<Record<RepositoryType, EngineProcess>>;
  /** Programs that read and write what kopia does not keep. */
  programs: Programs;
  /** For volumes of mode Block. */
  block: BlockOptions;
  flush(volumePath: string, signal: AbortSignal): Promise<void>;
}

/** One engine for one repository. */
export interface EngineSetUp {
  options: EngineOptions;
  target: RepositoryTarget;
  budget: EngineBudget;
  /** Of the BackupRepository. */
  repositoryConfig: Readonly<Record<string, string>> | null | undefined;
  /** When an earlier attempt of the same restore may have started to write (epoch ms); undefined in the first. */
  sinceMs: number | undefined;
  /** Absent: everything is read. */
  changes?: ChangesWish | undefined;
  /** Directories and environment of its processes, and their limits. */
  files: Omit<SessionOptions, 'process'>;
}

export interface OpenedEngine {
  uploader: Uploader;
  /** For the log. */
  where: string;
  /** Address of a restic repository. */
  identifier?: string | undefined;
  close(): Promise<void>;
}

/** How long the deletion of an unwanted snapshot may take before the pod ends anyway. */
export const discardMs = 20_000;
