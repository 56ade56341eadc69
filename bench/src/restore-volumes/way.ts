import type { Clock } from '@lateen/kernel';
import type { SpawnedDistantStore } from '@lateen/store-rig';
import type { MeasuredGroup } from '../measured-group.ts';
import type { Dataset } from './datasets.ts';
import type { MadeRepository } from './made-repository.ts';
import type { MoverBundle } from './mover-bundle.ts';

export interface WayContext {
  dataset: Dataset;
  made: MadeRepository;
  /** The repository's server through it. */
  store: SpawnedDistantStore;
  /** A directory on a fresh XFS, or a fresh loop device. */
  volume: string;
  /** For what the way keeps beside the volume; empty. */
  scratch: string;
  /** The processes that are measured. */
  group: MeasuredGroup;
  /** The limit of the group. */
  memoryBytes: number | undefined;
  mover: MoverBundle;
  clock: Clock;
  /** Aborts when the time is up; a way may end by it, or by failing. */
  signal: AbortSignal;
}

/** One way to bring a volume back, or a ceiling for all of them. */
export interface Way {
  name: string;
  title: string;
  /** Whether it reads from the store, so that it is measured at each distance. */
  distant: boolean;
  /** The limit of its processes, whatever the command line says. */
  memoryBytes?: number;
  runs(dataset: Dataset): boolean;
  /** Resolves when all is there, and on the disk. What it prints last may be figures of its own. */
  run(context: WayContext): Promise<string | undefined>;
}
