import type { Unstructured } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { isJsonObject, parseExact, stringify } from '@lateen/kube';

/** An object of the cluster, its numbers as they were written. @throws PLUGIN_REQUEST_UNREADABLE */
export function readItem(bytes: Uint8Array, what: string): Unstructured {
  const value = parsed(bytes, what, parseExact);
  if (!isJsonObject(value)) throw unreadable(what, 'it is not a JSON object');
  return value as Unstructured;
}

/** What an action returned as an object. @throws PLUGIN_ANSWER_INVALID when it is none */
export function writeItem(item: unknown, what: string): Buffer {
  const { apiVersion, kind, metadata } = isJsonObject(item) ? item : {};
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || !isJsonObject(metadata)) {
    throw new AppError(
      'PLUGIN_ANSWER_INVALID',
      `${what} is not an object of Kubernetes: apiVersion, kind or metadata is missing`,
    );
  }
  return Buffer.from(stringify(item));
}

/**
 * Reads Backups and Restores: while the same bytes come, the same frozen object is given, so that what is kept for a run can be kept by it.
 * @throws PLUGIN_REQUEST_UNREADABLE
 */
export function runReader<T extends object>(what: string): (bytes: Uint8Array) => T {
  let last: { bytes: Buffer; run: T } | undefined;
  return (bytes) => {
    if (last?.bytes.equals(bytes)) return last.run;
    const run = parsed(bytes, what, JSON.parse);
    if (!isJsonObject(run)) throw unreadable(what, 'it is not a JSON object');
    last = { bytes: Buffer.from(bytes), run: deepFreeze(run) as T };
    return last.run;
  };
}

function parsed(bytes: Uint8Array, what: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
  } catch (cause) {
    throw unreadable(what, 'it is not JSON', cause);
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}

const unreadable = (what: string, why: string, cause?: unknown): AppError =>
  new AppError('PLUGIN_REQUEST_UNREADABLE', `${what} in the request cannot be read: ${why}`, { cause });
