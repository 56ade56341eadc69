import { isJsonObject, parseExact } from '@lateen/kube';
import { nestsDeeper } from '@lateen/object-store';

/** Fields that change by themselves; compared only on request. */
export const changingFields = ['status', 'generation', 'resourceVersion', 'managedFields'] as const;
export type ChangingField = (typeof changingFields)[number];

/** The object of an entry without the fields that are not compared; its text when it is not an object. */
export function comparable(body: Uint8Array, ignored: readonly ChangingField[]): unknown {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8');
  const object = parsed(text);
  if (!isJsonObject(object)) return text;
  const { metadata } = object;
  return {
    ...without(object, ignored.includes('status') ? ['status'] : []),
    ...(isJsonObject(metadata) ? { metadata: without(metadata, ignored) } : {}),
  };
}

/** Shorter texts cannot nest deeply enough to overflow the stack. */
const harmlessChars = 4_096;
const levelsMax = 500;

function parsed(text: string): unknown {
  if (text.length > harmlessChars && nestsDeeper(text, 'json', levelsMax)) return undefined;
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

/** A text that is the same for values which differ only in the order of their keys. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (isJsonObject(inner) ? sorted(inner) : inner)) ?? '';
}

const sorted = (map: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));

const without = (map: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key)));
