const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/**
 * Parses a duration as the API and its flags write it (`10m0s`, `1h30m`, `1.5s`, `0`), in ms. Undefined for any other text, an empty one included:
 * callers name the field in their message.
 */
export function parseDurationMs(text: string): number | undefined {
  const match = /^([+-]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+|0)$/.exec(text);
  if (match === null) return undefined;
  let totalMs = 0;
  for (const [, amount, unit] of (match[2] ?? '').matchAll(/([\d.]+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/g)) {
    totalMs += Number(amount) * (unitMs[unit ?? ''] ?? Number.NaN);
  }
  return match[1] === '-' ? -totalMs : totalMs;
}

/** A limit or a setting exactly, as Go and kubectl print it: `30s`, `1m30s`, `2h0m0s`, `500ms`. */
export function durationText(ms: number): string {
  if (ms < 0) return `-${durationText(-ms)}`;
  if (ms === 0) return '0s';
  if (ms < 1000) return `${ms}ms`;
  const [hours, minutes] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60];
  const seconds = `${(ms % 60_000) / 1000}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}
