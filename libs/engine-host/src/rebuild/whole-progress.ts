import type { CopyProgress, ReplicaLayer } from '@lateen/block-engine';

interface Bytes {
  readonly doneBytes: bigint;
  readonly totalBytes: bigint;
}

/**
 * The progress of a whole copy, by the size of its files: a copy reports one layer after the other, oldest first. Layers before the reported one are
 * done, either copied or present already.
 */
export function wholeProgress(layers: readonly ReplicaLayer[], told: CopyProgress): Bytes {
  const totalBytes = layers.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0n);
  const at = layers.findIndex(({ name }) => name === told.snapshot);
  // A layer that was frozen after the layers were listed.
  if (at < 0) return { doneBytes: totalBytes, totalBytes };
  const before = layers.slice(0, at).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0n);
  const size = layers[at]?.sizeBytes ?? 0n;
  return { doneBytes: before + (told.doneBytes < size ? told.doneBytes : size), totalBytes };
}
