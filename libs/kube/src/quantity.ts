/**
 * A Kubernetes quantity (`500m`, `1.5Gi`, `1e3`), exactly: `mantissa` × 10^`exponent`. Every quantity is such a number,
 * also those with binary suffixes.
 */
export interface Quantity {
  readonly mantissa: bigint;
  readonly exponent: number;
}

/** Longer texts are no quantities that a person or a program has written in earnest. */
const textLengthMax = 64;

/** Far beyond what any resource comes to; it keeps the numbers that a comparison works with small. */
const exponentMax = 1_000;

const decimalSuffixes: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};

const binarySuffixes: Readonly<Record<string, bigint>> = {
  Ki: 2n ** 10n,
  Mi: 2n ** 20n,
  Gi: 2n ** 30n,
  Ti: 2n ** 40n,
  Pi: 2n ** 50n,
  Ei: 2n ** 60n,
};

/**
 * Reads a quantity as Kubernetes does (its API concepts, "Quantity"): sign, digits with at most one point, then a suffix
 * or an exponent. `12E` is twelve exa, `12E3` is twelve thousand. Undefined for everything else, and for exponents beyond
 * ±1000.
 */
export function parseQuantity(text: string): Quantity | undefined {
  if (text.length > textLengthMax) return undefined;
  const match = /^([+-]?)(\d+\.?\d*|\.\d+)([A-Za-z]*|[eE][+-]?\d+)$/.exec(text);
  if (match === null) return undefined;
  const [, sign, number = '', suffix = ''] = match;
  const [whole = '', fraction = ''] = number.split('.');
  const digits = BigInt(`${whole}${fraction}`);
  const mantissa = sign === '-' ? -digits : digits;
  const binary = own(binarySuffixes, suffix);
  if (binary !== undefined) return { mantissa: mantissa * binary, exponent: -fraction.length };
  const power = own(decimalSuffixes, suffix) ?? exponentOf(suffix);
  return power === undefined ? undefined : { mantissa, exponent: power - fraction.length };
}

/** Below zero when `a` is less than `b`, zero when they are the same amount, whatever their spelling. */
export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  const exponent = Math.min(a.exponent, b.exponent);
  const [left, right] = [a, b].map((each) => each.mantissa * 10n ** BigInt(each.exponent - exponent)) as [
    bigint,
    bigint,
  ];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** The amount in whole units (bytes, CPUs); a fraction counts as a whole one, as Kubernetes rounds. */
export function wholeUnits({ mantissa, exponent }: Quantity): bigint {
  if (exponent >= 0) return mantissa * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  const quotient = mantissa / divisor;
  return mantissa > 0n && mantissa % divisor !== 0n ? quotient + 1n : quotient;
}

function exponentOf(suffix: string): number | undefined {
  if (!/^[eE][+-]?\d+$/.test(suffix)) return undefined;
  const exponent = Number(suffix.slice(1));
  return Math.abs(exponent) > exponentMax ? undefined : exponent;
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
