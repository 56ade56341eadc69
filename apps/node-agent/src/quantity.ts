const multipliers: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/**
 * A Kubernetes quantity (`500m`, `1.5Gi`, `1e3`) as a number; undefined when it is none, or negative. Only for comparing:
 * what is sent is the text as it was written.
 */
export function quantityValue(text: string): number | undefined {
  const match = /^\+?(\d+\.?\d*|\.\d+)(?:([eE][+-]?\d+)|(n|u|m|k|[MGTPE]|[KMGTPE]i)?)$/.exec(text);
  if (match === null) return undefined;
  const [, digits, exponent, suffix = ''] = match;
  return exponent === undefined ? Number(digits) * (multipliers[suffix] ?? 1) : Number(`${digits}${exponent}`);
}
