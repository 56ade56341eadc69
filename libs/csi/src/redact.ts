/** Deeper than any CSI message; stops a cyclic value. */
const depthMax = 8;

/**
 * A copy of a CSI message fit for a log: every field that csi.proto marks `csi_secret` is called `secrets`, and its
 * values are replaced (the keys stay, they help to find a wrong Secret). Bigints become strings, because JSON has none.
 */
export function redacted(value: unknown, depth = 0): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= depthMax) return '[deep]';
  if (Array.isArray(value)) return value.map((item) => redacted(item, depth + 1));
  if (value instanceof Date) return value.toISOString();
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [
      key,
      key.toLowerCase() === 'secrets' ? keysOnly(field) : redacted(field, depth + 1),
    ]),
  );
}

function keysOnly(secrets: unknown): unknown {
  if (typeof secrets !== 'object' || secrets === null) return '[redacted]';
  return Object.fromEntries(Object.keys(secrets).map((key) => [key, '[redacted]']));
}
