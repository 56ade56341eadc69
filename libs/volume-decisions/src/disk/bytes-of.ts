import type { Int64 } from '@lateen/api-types';

/** A number of bytes out of a status or spec; undefined for what is none: absent, negative, or too large for a number of JSON to be exact. */
export const bytesOf = (value: Int64 | undefined): bigint | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined;

/** The same the other way round. Above 2^53 - 1 (8 PiB) it says that much, since a number of JSON is not exact there. */
export const numberOf = (bytes: bigint): Int64 => {
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  return Number(bytes > most ? most : bytes);
};
