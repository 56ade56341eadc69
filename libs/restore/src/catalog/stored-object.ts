import type { Unstructured } from '@lateen/api-types';
import type { ItemPlace } from '@lateen/archive';
import { byteSize } from '@lateen/errors';
import { nestsDeeper } from '@lateen/object-store';

/** The size limit: an API server accepts requests up to 3 MiB, and may add as much itself (status, managed fields). */
const objectBytesMax = 8 * 1024 * 1024;

/** The depth limit: the API server's parser stops at 10,000 levels, and serializing here recurses once per level. */
const levelsMax = 1_000;

/** An object of the archive, or the reason why it is invalid. Reasons never contain stored data, which may be a Secret. */
export type StoredObject = { object: Unstructured; text: string } | { reason: string };

/** @param parse parses JSON; throws a SyntaxError */
export function storedObject(place: ItemPlace, body: Uint8Array, parse: (text: string) => unknown): StoredObject {
  if (body.length > objectBytesMax) {
    return {
      reason: `it has ${byteSize(body.length)}; no object of the API has more than ${byteSize(objectBytesMax)}`,
    };
  }
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
  if (nestsDeeper(text, 'json', levelsMax)) return { reason: `it is nested more than ${levelsMax} levels deep` };
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    return { reason: 'it is not JSON' };
  }
  const reason = problemOf(place, value);
  return reason === undefined ? { object: value as Unstructured, text } : { reason };
}

function problemOf(place: ItemPlace, value: unknown): string | undefined {
  if (!isObject(value)) return 'it is not an object';
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion !== 'string' || apiVersion === '' || typeof kind !== 'string' || kind === '')
    return 'it does not say its apiVersion and kind';
  if (!isObject(metadata)) return 'it has no metadata';
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  const groupOfPath = place.groupResource.split('.').slice(1).join('.');
  if (group !== groupOfPath) return 'its path says another group than the object';
  const names = [metadata.name, metadata.namespace ?? ''];
  if (names[0] === place.name && names[1] === (place.namespace ?? '')) return undefined;
  return 'its path says another name or namespace than the object';
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
