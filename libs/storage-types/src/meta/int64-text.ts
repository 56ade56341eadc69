import type { Int64Text } from './scalars.ts';

const max = 2n ** 63n - 1n;

/**
 * The number that a text says. Undefined for an absent text and for what is no integer of 64 bits in decimal: the API server takes any
 * text as a size, `BigInt` throws at `ten` and reads the empty one as 0.
 */
export function int64Of(text: Int64Text | undefined): bigint | undefined {
  if (text === undefined || !/^(0|-?[1-9]\d{0,18})$/.test(text)) return undefined;
  const value = BigInt(text);
  return value <= max && value >= -max - 1n ? value : undefined;
}

/** The text of a number, for a field of type {@link Int64Text}. @throws RangeError when 64 bits do not hold it */
export function int64Text(value: bigint): Int64Text {
  if (value > max || value < -max - 1n) throw new RangeError(`${value} is not an integer of 64 bits`);
  return value.toString();
}
