import { redacted as hidden, secretTest } from '@lateen/kernel';

/** Deeper than any message of ours or of CSI; stops a cyclic value. */
const depthMax = 8;

/** More than a person reads in a log. */
const itemsMax = 100;

/** Every field that csi.proto marks `csi_secret` is called `secrets`. */
const isSecret = secretTest(['secrets']);

/**
 * A copy of a message fit for a log: the values of fields whose names say that they are secret are replaced (the keys
 * of a map stay, they help to find a wrong Secret). Bigints become strings, because JSON has none.
 */
export function redacted(value: unknown, depth = 0): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= depthMax) return '[deep]';
  if (value instanceof Uint8Array) return `[${value.length} bytes]`;
  if (Array.isArray(value)) return value.slice(0, itemsMax).map((item) => redacted(item, depth + 1));
  if (value instanceof Date) return value.toISOString();
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, isSecret(key) ? keysOnly(field) : redacted(field, depth + 1)]),
  );
}

function keysOnly(secrets: unknown): unknown {
  if (typeof secrets !== 'object' || secrets === null) return hidden;
  return Object.fromEntries(Object.keys(secrets).map((key) => [key, hidden]));
}
