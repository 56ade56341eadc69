import { blockVolumeError } from '@lateen/block-engine';

const MiB = 1024n * 1024n;
/** Sizes of volumes are multiples of it. */
const roundBytes = 2n * MiB;

/** 64 TiB. More than any disk that replicas were made on; the engine itself has no bound of its own below 2^63. */
export const volumeBytesMax = 64n * 1024n * 1024n * MiB;

/** The size that a volume gets that is to have `bytes`. @throws AppError `OUT_OF_RANGE` */
export function volumeSizeOf(bytes: bigint): bigint {
  if (bytes > 0n && bytes <= volumeBytesMax) return ((bytes + roundBytes - 1n) / roundBytes) * roundBytes;
  throw blockVolumeError('OUT_OF_RANGE', `a volume cannot have ${bytes} bytes`, {
    nextStep: `Ask for 1 to ${volumeBytesMax} bytes.`,
  });
}
