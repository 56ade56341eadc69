import type { CopyProgress, ReplicaLayer } from '@lateen/block-engine';

interface Bytes {
  readonly doneBytes: bigint;
  readonly totalBytes: bigint;
}

/**
 * How much of a whole copy is done, by what its files take: a copy tells of one layer after the other, oldest first. Layers before the one
 * that it tells of are done, copied or there already.
 */
export function wholeProgress(layers: readonly ReplicaLayer[], told: CopyProgress): Bytes {
  const totalBytes = layers.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0n);
  const at = layers.findIndex(({ name }) => name === told.snapshot);
  // One that was frozen since the layers were asked for.
  if (at < 0) return { doneBytes: totalBytes, totalBytes };
  const before = layers.slice(0, at).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0n);
  const size = layers[at]?.sizeBytes ?? 0n;
  return { doneBytes: before + (told.doneBytes < size ? told.doneBytes : size), totalBytes };
}
