import type { KopiaUploaderOptions } from '../kopia-uploader-options.ts';

/**
 * What a second kopia takes, in the buffers of files that the first could read instead: 107 MB at its peak (measured; 64 MB
 * of it to derive the repository's key), 36 MiB a file (engine-budget.ts of the data mover).
 */
const secondEngineFiles = 3;

/**
 * Whether the manifest may be stored, or looked for, while the volume's own run goes on: not when the pod's memory is too
 * small for two of kopia; then it is done before. With a limit the volume's run gets what is left.
 */
export function besides({
  parallelFiles,
  parallelMax,
}: Pick<KopiaUploaderOptions, 'parallelFiles' | 'parallelMax'>): { parallelMax: number | undefined } | undefined {
  if (parallelMax === undefined) return { parallelMax };
  const left = parallelMax - secondEngineFiles;
  return left >= parallelFiles ? { parallelMax: left } : undefined;
}
