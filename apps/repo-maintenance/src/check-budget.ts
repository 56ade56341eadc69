const MiB = 1024 * 1024;

/** What a check that reads packs by itself may use; the engine does not run at that time. */
export interface CheckBudget {
  threads: number;
  threadHeapMB: number;
  /** For bytes on their way from the store. */
  readerBytes: number;
  /** For the index of the repository; what is more lies on scratch. */
  indexBytes: number;
}

const figures = {
  /** Node with our code, and the contents of one group of packs. */
  processBytes: 160 * MiB,
  /** A thread with its heap and one content of 8 MiB, decrypted and decompressed. */
  threadBytes: 40 * MiB,
  threadHeapMB: 24,
  threadsMax: 16,
  readerBytes: { min: 16 * MiB, max: 128 * MiB },
  indexBytes: { min: 4 * MiB, max: 256 * MiB },
} as const;

/** Splits what the pod has. Pure. */
export function checkBudget({ memoryBytes, cpus }: { memoryBytes: number | undefined; cpus: number }): CheckBudget {
  const free = Math.max((memoryBytes ?? Number.POSITIVE_INFINITY) - figures.processBytes, 0);
  const threads = between({ min: 1, max: figures.threadsMax }, Math.min(cpus, free / 2 / figures.threadBytes));
  const rest = Math.max(free - threads * figures.threadBytes, 0);
  return {
    threads,
    threadHeapMB: figures.threadHeapMB,
    readerBytes: between(figures.readerBytes, rest / 2),
    indexBytes: between(figures.indexBytes, rest / 4),
  };
}

const between = ({ min, max }: { min: number; max: number }, wanted: number): number =>
  Math.floor(Math.min(Math.max(wanted, min), max));
