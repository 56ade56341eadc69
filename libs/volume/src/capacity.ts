import { volumeLimits } from './limits.ts';
import { volumeError } from './volume-error.ts';

/** CSI's CapacityRange in bytes; 0 and undefined both mean "not said". */
export interface CapacityRange {
  requiredBytes?: number;
  limitBytes?: number;
}

/**
 * The size of a volume: what is required, at least `bytesMin`, rounded up to whole blocks, within the limit.
 * @throws AppError `INVALID_ARGUMENT` for a negative or contradictory range, `OUT_OF_RANGE` when no size fits.
 */
export function decideCapacity(range: CapacityRange | undefined, bytesMin: number = volumeLimits.bytesMin): number {
  const required = range?.requiredBytes ?? 0;
  const limit = range?.limitBytes ?? 0;
  checkRange(required, limit);
  const wanted = required === 0 ? Math.min(volumeLimits.defaultBytes, limit || volumeLimits.defaultBytes) : required;
  const bytes = roundUp(Math.max(wanted, bytesMin), volumeLimits.roundBytes);
  if (bytes > volumeLimits.bytesMax) {
    throw volumeError('OUT_OF_RANGE', `${bytes} bytes are more than a volume can have (${volumeLimits.bytesMax})`);
  }
  if (limit === 0 || bytes <= limit) return bytes;
  const rounded = Math.floor(limit / volumeLimits.roundBytes) * volumeLimits.roundBytes;
  if (required === 0 && rounded >= bytesMin) return rounded;
  throw volumeError('OUT_OF_RANGE', `the limit of ${limit} bytes leaves no room for a volume of ${bytes} bytes`, {
    nextStep: `Sizes are multiples of ${volumeLimits.roundBytes} bytes and at least ${bytesMin}.`,
  });
}

/** True when a volume of this size answers the request. */
export function fitsRange(bytes: number, range: CapacityRange | undefined): boolean {
  const limit = range?.limitBytes ?? 0;
  return bytes >= (range?.requiredBytes ?? 0) && (limit === 0 || bytes <= limit);
}

function checkRange(required: number, limit: number): void {
  if (!Number.isSafeInteger(required) || !Number.isSafeInteger(limit)) {
    throw volumeError('OUT_OF_RANGE', `a volume has at most ${volumeLimits.bytesMax} bytes`);
  }
  if (required < 0 || limit < 0) throw volumeError('INVALID_ARGUMENT', 'a capacity is negative');
  if (limit !== 0 && required > limit) {
    throw volumeError('INVALID_ARGUMENT', `required_bytes ${required} is more than limit_bytes ${limit}`);
  }
}

const roundUp = (bytes: number, step: number) => Math.ceil(bytes / step) * step;
