import type { Clock } from '@lateen/kernel';
import type { SpawnedDistantStore } from '@lateen/store-rig';
import type { MeasuredGroup } from '../measured-group.ts';
import type { Dataset } from './datasets.ts';
import type { MadeRepository } from './made-repository.ts';
import type { MoverBundle } from './mover-bundle.ts';

export interface WayContext {
  dataset: Dataset;
  made: MadeRepository;
  /** The repository's server, through the proxy with latency. */
  store: SpawnedDistantStore;
  /** A directory on a new XFS, or a new loop device. */
  volume: string;
  /** An empty folder for files of the way other than the volume. */
  scratch: string;
  /** The measured group of processes. */
  group: MeasuredGroup;
  /** The memory limit of the group. */
  memoryBytes: number | undefined;
  mover: MoverBundle;
  clock: Clock;
  /** Aborts at the time limit; the way may then end or fail. */
  signal: AbortSignal;
}

/** One way to restore a volume, or a ceiling for all of them. */
export interface Way {
  name: string;
  title: string;
  /** Whether it reads from the store, so that it is measured with each latency. */
  distant: boolean;
  /** The limit of its processes, which overrides the command line. */
  memoryBytes?: number;
  runs(dataset: Dataset): boolean;
  /** Resolves when everything is restored and synced. Its last output may be figures of its own. */
  run(context: WayContext): Promise<string | undefined>;
}
