import { engineMemory, engineShareBytes } from '@lateen/repository';
import { parallelFilesByDefault } from './parallel-files.ts';

const MiB = 1024 * 1024;

/** The limits of this process, as far as they are known; see own-limits.ts. */
export interface OwnLimits {
  memoryBytes?: number | undefined;
  cpuMillis?: number | undefined;
  /** How much the pod may keep on the node's disk. */
  ephemeralBytes?: number | undefined;
  /** Size of the volume for the cache, when there is one. */
  cacheVolumeBytes?: number | undefined;
  /** Free bytes in the scratch directory, which holds the cache otherwise. */
  scratchFreeBytes?: number | undefined;
}

/** The settings with which the engine stays inside the limits of its pod instead of being killed. */
export interface EngineBudget {
  /** Memory limit of the pod, if it has one; a restore without the engine divides it itself. */
  memoryBytes: number | undefined;
  /** CPUs that the pod may use; may be a fraction. */
  cpus: number;
  /** For GOMEMLIMIT; with `gcPercent` for GOGC and `processors` for GOMAXPROCS. */
  memoryLimitBytes: number | undefined;
  gcPercent: number | undefined;
  processors: number | undefined;
  /** Files at the same time when the configuration does not say. */
  parallelFiles: number;
  /** The most files at the same time, whatever the configuration says. */
  parallelFilesMax: number | undefined;
  /** Content and metadata together. */
  cacheLimitMB: number;
  /** The interval after which an upload writes a checkpoint. */
  checkpointSeconds: number;
}

/** Besides the engine's memory (`engineMemory`). Measured with kopia 0.22.3; see README.md, "Budget". */
export const budgetFigures = {
  /** The engine with one file at a time … */
  oneFileBytes: 125 * MiB,
  /** … and for each further one, whose buffers are several MiB. */
  furtherFileBytes: 36 * MiB,
  /** Between two checkpoints the engine keeps an index of what it has stored, which grows by up to this much per second. */
  indexBytesPerSecond: 12 * MiB,
  /** Heap besides that index. */
  heapAtRestBytes: 60 * MiB,
  checkpointSecondsMin: 5,
  /** Applies also without a limit: data without a checkpoint is lost with the mover. */
  checkpointSecondsMax: 60,
  /** Share of the cache volume; the rest is for indexes, which kopia does not count, and temporary files. */
  cacheShareOfVolume: 0.83,
  cacheShareOfEphemeral: 0.7,
  cacheShareOfFree: 0.5,
  cacheMBMin: 10,
} as const;

/** The environment of the engine, and its task. */
export interface BudgetInput {
  /** CPUs that this process may use. */
  cpus: number;
  /** CPUs of the whole node. */
  nodeCpus: number;
  /** Data paths at the same time on the node, when the installation sets it. */
  slots: number | undefined;
  /** What the repository's configuration allows. */
  cacheLimitMB: number;
}

/** Pure. */
export function engineBudget(limits: OwnLimits, { cpus, nodeCpus, slots, cacheLimitMB }: BudgetInput): EngineBudget {
  const figures = budgetFigures;
  const podCpus = Math.min((limits.cpuMillis ?? Number.POSITIVE_INFINITY) / 1000, cpus);
  const processors =
    limits.cpuMillis === undefined ? undefined : Math.min(Math.max(Math.ceil(limits.cpuMillis / 1000), 1), cpus);
  const share = limits.memoryBytes === undefined ? undefined : engineShareBytes(limits.memoryBytes);
  const parallelFilesMax =
    share === undefined
      ? undefined
      : 1 + Math.max(Math.floor((share - figures.oneFileBytes) / figures.furtherFileBytes), 0);
  const { memoryLimitBytes, gcPercent } = engineMemory(limits.memoryBytes);
  return {
    memoryBytes: limits.memoryBytes,
    cpus: podCpus,
    memoryLimitBytes,
    gcPercent,
    processors,
    parallelFiles: Math.min(
      parallelFilesByDefault({ nodeCpus, podCpus, slots }),
      parallelFilesMax ?? Number.POSITIVE_INFINITY,
    ),
    parallelFilesMax,
    cacheLimitMB: Math.max(Math.min(cacheLimitMB, cacheSpaceMB(limits)), figures.cacheMBMin),
    checkpointSeconds: checkpointSeconds(memoryLimitBytes),
  };
}

function checkpointSeconds(memoryLimitBytes: number | undefined): number {
  const { checkpointSecondsMin, checkpointSecondsMax, heapAtRestBytes, indexBytesPerSecond } = budgetFigures;
  if (memoryLimitBytes === undefined) return checkpointSecondsMax;
  const seconds = Math.floor((memoryLimitBytes - heapAtRestBytes) / indexBytesPerSecond);
  return Math.min(Math.max(seconds, checkpointSecondsMin), checkpointSecondsMax);
}

function cacheSpaceMB({ cacheVolumeBytes, ephemeralBytes, scratchFreeBytes }: OwnLimits): number {
  const { cacheShareOfVolume, cacheShareOfEphemeral, cacheShareOfFree } = budgetFigures;
  if (cacheVolumeBytes !== undefined) return Math.floor((cacheVolumeBytes * cacheShareOfVolume) / MiB);
  const spaces = [
    ephemeralBytes === undefined ? undefined : ephemeralBytes * cacheShareOfEphemeral,
    scratchFreeBytes === undefined ? undefined : scratchFreeBytes * cacheShareOfFree,
  ].filter((space) => space !== undefined);
  return Math.floor(Math.min(...spaces) / MiB);
}
