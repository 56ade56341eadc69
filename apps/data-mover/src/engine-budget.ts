import { engineMemory, engineShareBytes } from '@lateen/repository';
import { parallelFilesByDefault } from './parallel-files.ts';

const MiB = 1024 * 1024;

/** What this process may use, as far as anybody has said; see own-limits.ts. */
export interface OwnLimits {
  memoryBytes?: number | undefined;
  cpuMillis?: number | undefined;
  /** How much the pod may keep on the node's disk. */
  ephemeralBytes?: number | undefined;
  /** Size of the volume for the cache, when there is one. */
  cacheVolumeBytes?: number | undefined;
  /** What is left where the cache goes otherwise. */
  scratchFreeBytes?: number | undefined;
}

/** What the engine is told, so that it stays inside the limits of its pod instead of being killed. */
export interface EngineBudget {
  /** Of the pod, when it is limited; a restore without the engine splits it by itself. */
  memoryBytes: number | undefined;
  /** That the pod may use; a part of one counts. */
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
  /** After so long an upload writes down what it has. */
  checkpointSeconds: number;
}

/** Beside the engine's memory (`engineMemory`). Measured with kopia 0.22.3; see README.md, "Budget". */
export const budgetFigures = {
  /** The engine with one file at a time … */
  oneFileBytes: 125 * MiB,
  /** … and for each further one, whose buffers are several MiB. */
  furtherFileBytes: 36 * MiB,
  /** Between two checkpoints the engine keeps an index of what it has stored: up to so much in a second. */
  indexBytesPerSecond: 12 * MiB,
  /** What the heap holds beside that index. */
  heapAtRestBytes: 60 * MiB,
  checkpointSecondsMin: 5,
  /** Also without a limit: what is not written down is lost with the mover. */
  checkpointSecondsMax: 60,
  /** Of the place for the cache; the rest is for indexes, which kopia does not count, and temporary files. */
  cacheShareOfVolume: 0.83,
  cacheShareOfEphemeral: 0.7,
  cacheShareOfFree: 0.5,
  cacheMBMin: 10,
} as const;

/** Where the engine runs, and for what. */
export interface BudgetInput {
  /** That this process may run on. */
  cpus: number;
  /** Of the whole node. */
  nodeCpus: number;
  /** Data paths at the same time on the node, when the installation says. */
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
