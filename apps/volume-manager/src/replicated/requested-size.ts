import type { csi } from '@lateen/csi';
import { volumeSizeOf } from '@lateen/replicated-engine';
import { volumeError } from '@lateen/volume';

const GiB = 1024n ** 3n;
/** The size of a volume when the request gives none; the same as in the local driver. */
const usualBytes = GiB;

/** The size that a volume gets. @throws AppError `OUT_OF_RANGE` */
export function requestedSize(range: csi.CapacityRange | undefined, atLeast = 0n): bigint {
  const { requiredBytes = 0n, limitBytes = 0n } = range ?? {};
  if (requiredBytes < 0n || limitBytes < 0n) throw volumeError('OUT_OF_RANGE', 'a size is negative');
  const wanted = requiredBytes > 0n ? requiredBytes : atLeast > 0n ? atLeast : limitBytes > 0n ? 1n : usualBytes;
  const bytes = volumeSizeOf(wanted);
  if (limitBytes === 0n || bytes <= limitBytes) return bytes;
  throw volumeError('OUT_OF_RANGE', `the volume would have ${bytes} bytes, and may have ${limitBytes}`, {
    nextStep: 'Sizes are multiples of 2 MiB.',
  });
}
