import type { KopiaUploaderOptions } from '../kopia-uploader-options.ts';

/**
 * The memory of a second kopia, as a number of files that the first could read at the same time instead: 107 MB at its peak
 * (measured; 64 MB of it to derive the repository's key), 36 MiB a file (engine-budget.ts of the data mover).
 */
const secondEngineFiles = 3;

/**
 * Whether the manifest may be stored, or looked for, while the volume's own run is going on. When the pod's memory is too small
 * for two runs of kopia, the manifest is processed before the volume. With a memory limit, the volume's run gets what the second
 * one leaves.
 */
export function besides({
  parallelFiles,
  parallelMax,
}: Pick<KopiaUploaderOptions, 'parallelFiles' | 'parallelMax'>): { parallelMax: number | undefined } | undefined {
  if (parallelMax === undefined) return { parallelMax };
  const left = parallelMax - secondEngineFiles;
  return left >= parallelFiles ? { parallelMax: left } : undefined;
}
