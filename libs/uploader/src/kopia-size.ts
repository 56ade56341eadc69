const factors: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  PB: 1e15,
  EB: 1e18,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
  PiB: 2 ** 50,
  EiB: 2 ** 60,
};

/** A size as kopia prints it: at most one decimal of a unit. */
export interface PrintedSize {
  bytes: number;
  /** Half a step of the last printed digit: how far the true value may be off. */
  errorBytes: number;
}

/** Reads `694 MB`, `67.8 MB`, `0 B`. Undefined for anything else. */
export function parseSize(text: string): PrintedSize | undefined {
  const match = /^(\d+(?:\.\d+)?) ([KMGTPE]?i?B)$/.exec(text.trim());
  const factor = factors[match?.[2] ?? ''];
  if (match?.[1] === undefined || factor === undefined) return undefined;
  return { bytes: Math.round(Number(match[1]) * factor), errorBytes: factor === 1 ? 0 : factor / 20 };
}
