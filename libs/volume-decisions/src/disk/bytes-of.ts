import type { Int64 } from '@lateen/api-types';

/** A number of bytes from a status or spec; undefined when it is absent, negative, or too large to be exact as a JSON number. */
export const bytesOf = (value: Int64 | undefined): bigint | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined;

/** The inverse of {@link bytesOf}. Values above 2^53 - 1 (8 PiB) become that value, because larger JSON numbers are not exact. */
export const numberOf = (bytes: bigint): Int64 => {
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  return Number(bytes > most ? most : bytes);
};
