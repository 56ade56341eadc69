import { isDeepStrictEqual } from 'node:util';
import type { Unstructured } from '@lateen/kube';

/** More than these are counted, not named: a change of version touches whole schemas. */
const namedMax = 4;

/** What the server writes, or what says nothing about the change. */
const ofServer = new Set(['managedFields', 'resourceVersion', 'generation', 'creationTimestamp', 'uid']);

/**
 * Which fields differ between two states of one object, for people: `spec.template.spec.containers.0.image`. Values are
 * never shown, so it is safe for every kind. At most four, then `and 12 more`.
 */
export function changedFields(before: Unstructured, after: Unstructured): string[] {
  const paths = [...differences(strip(before), strip(after), [])].map((path) => path.join('.'));
  const more = paths.length - namedMax;
  return more > 0 ? [...paths.slice(0, namedMax), `and ${more} more`] : paths;
}

function strip({ status: _status, metadata, ...rest }: Unstructured): Record<string, unknown> {
  return { ...rest, metadata: Object.fromEntries(Object.entries(metadata).filter(([key]) => !ofServer.has(key))) };
}

function* differences(before: unknown, after: unknown, path: readonly string[]): Generator<readonly string[]> {
  if (isDeepStrictEqual(before, after)) return;
  if (!isBranch(before) || !isBranch(after)) {
    yield path;
    return;
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
    yield* differences(before[key], after[key], [...path, key]);
}

const isBranch = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
