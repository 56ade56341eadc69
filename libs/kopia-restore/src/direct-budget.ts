const MiB = 1024 * 1024;

/** What a restore without the engine may use. */
export interface DirectBudget {
  /** The default number of worker threads, and the most that memory allows. */
  workers: number;
  workersMax: number;
  /** The JavaScript heap of each of them. */
  workerHeapMB: number;
  /** For bytes on their way from the store to the workers. */
  readerBytes: number;
  /** For the index of the repository; what is more lies on scratch. */
  indexBytes: number;
  windowEntries: number;
  windowNameBytes: number;
  batchSlices: number;
  /** Folders that are read ahead of the walk, and the bytes of their objects. */
  foldersAheadMax: number;
  folderBytesAheadMax: number;
  /** CPUs of the pod; a part of one counts. */
  cpus: number;
  bytesPerSecondMax: number | undefined;
  /** Of the pod's memory, what the system may hold of files that are not on the storage; undefined without a limit. */
  unsyncedBytesMax: number | undefined;
}

/** Measured; see README.md, "Memory". */
export const directFigures = {
  /** Node with our code, and what the heap grows to between two collections. */
  processBytes: 80 * MiB,
  /** A thread with its heap, its hasher and one content of 8 MiB, decrypted and decompressed. */
  workerBytes: 40 * MiB,
  workerHeapMB: 64,
  /** At most, of what is left beside process and system. */
  workersShare: 0.6,
  /** Of the pod's memory, for what the system holds of written files (`UnsyncedFiles`). */
  systemShare: 1 / 8,
  /** Of an entry of a window with its path and its place in the pack, two windows at a time. */
  entryBytes: 1024,
  /** 14 requests of 8 MiB: more in flight bring nothing on any line that was measured. */
  readerBytesMax: 128 * MiB,
  readerBytesMin: 16 * MiB,
  indexBytesMax: 256 * MiB,
  windowEntriesMax: 32_768,
  windowEntriesMin: 4_096,
  /** Enough for a folder a millisecond from a store 30 ms away. */
  foldersAheadMax: 32,
} as const;

export interface DirectBudgetInput {
  /** Of the pod, when it is limited. */
  memoryBytes: number | undefined;
  /** That the pod may use; a part of one counts. */
  cpus: number;
  bytesPerSecondMax: number | undefined;
}

/** Below these a further worker thread costs more CPU to start than it saves: measured with 12.5 MB in 100 files, 0.85 s against 0.70 s. */
const worthOneWorker = { bytes: 64 * MiB, files: 2_000 } as const;

/** The number of threads that fill a volume: limited by the requested number, by memory and by the work. An unknown number of files counts as large. */
export function workersFor(
  { workers, workersMax }: Pick<DirectBudget, 'workers' | 'workersMax'>,
  {
    totalBytes,
    totalFiles = Number.POSITIVE_INFINITY,
    writersMax,
  }: { totalBytes: number; totalFiles?: number | undefined; writersMax?: number | undefined },
): number {
  const busy = Math.ceil(Math.max(totalBytes / worthOneWorker.bytes, totalFiles / worthOneWorker.files));
  return Math.max(Math.min(writersMax ?? workers, workersMax, busy), 1);
}

/** Splits what the pod has. Pure. */
export function directBudget({ memoryBytes, cpus, bytesPerSecondMax }: DirectBudgetInput): DirectBudget {
  const figures = directFigures;
  const unsyncedBytesMax = memoryBytes === undefined ? undefined : Math.floor(memoryBytes * figures.systemShare);
  const ownBytes = (memoryBytes ?? Number.POSITIVE_INFINITY) - (unsyncedBytesMax ?? 0);
  const free = Math.max(ownBytes - figures.processBytes, 0);
  const workersMax = Math.max(Math.min(Math.floor((free * figures.workersShare) / figures.workerBytes), 64), 1);
  const workers = Math.min(Math.max(Math.ceil(cpus), 1), workersMax);
  const rest = Math.max(free - workers * figures.workerBytes, 0);
  const windowEntries = between(rest / 4 / figures.entryBytes, figures.windowEntriesMin, figures.windowEntriesMax);
  const readerBytes = between(rest / 2, figures.readerBytesMin, figures.readerBytesMax);
  return {
    workers,
    workersMax,
    workerHeapMB: figures.workerHeapMB,
    readerBytes,
    indexBytes: between(rest / 8, 4 * MiB, figures.indexBytesMax),
    windowEntries,
    windowNameBytes: windowEntries * 128,
    batchSlices: windowEntries,
    foldersAheadMax: figures.foldersAheadMax,
    // About a third of a window's entries: each has some 190 bytes in the object of its folder.
    folderBytesAheadMax: windowEntries * 64,
    cpus,
    bytesPerSecondMax,
    unsyncedBytesMax,
  };
}

const between = (wanted: number, min: number, max: number): number => Math.floor(Math.min(Math.max(wanted, min), max));
