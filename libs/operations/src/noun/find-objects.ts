import type { KubeObject } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { groupResourceText, type KubeApi, listAll, readObject } from '@lateen/kube';
import type { Noun } from './noun.ts';

export interface Selection {
  /** Absent or empty: all. */
  names?: readonly string[] | undefined;
  labelSelector?: string | undefined;
}

/** How many objects are read at the same time. */
const readsAtOnceMax = 8;

/**
 * Returns the selected objects: named ones in the order of the names, each once, otherwise in the order of the API.
 * @throws AppError with the noun's code, naming all objects that do not exist
 */
export async function findObjects<T extends KubeObject>(
  kube: KubeApi,
  noun: Noun<T>,
  namespace: string,
  { names = [], labelSelector }: Selection,
  signal: AbortSignal,
): Promise<T[]> {
  if (names.length === 0) {
    const options = { namespace, signal, ...(labelSelector === undefined ? {} : { labelSelector }) };
    return (await listAll(kube, noun.type, options)).items;
  }
  const unique = [...new Set(names)];
  const found: T[] = [];
  for (let at = 0; at < unique.length; at += readsAtOnceMax) {
    const some = unique.slice(at, at + readsAtOnceMax);
    const read = await Promise.all(some.map((name) => readObject(kube, noun.type, { namespace, name }, signal)));
    found.push(...read.filter((each) => each !== undefined));
  }
  const known = new Set(found.map(({ metadata }) => metadata.name));
  const missing = unique.filter((name) => !known.has(name));
  if (missing.length > 0) throw objectNotFound(noun, missing);
  return found;
}

/** Returns the object of that name. @throws AppError with the noun's code */
export async function findObject<T extends KubeObject>(
  kube: KubeApi,
  noun: Noun<T>,
  { namespace, name }: { namespace: string; name: string },
  signal: AbortSignal,
): Promise<T> {
  const found = await readObject(kube, noun.type, { namespace, name }, signal);
  if (found === undefined) throw objectNotFound(noun, [name]);
  return found;
}

/** The error in the API server's words; several are joined as Velero does. */
export function objectNotFound<T extends KubeObject>(noun: Noun<T>, names: readonly string[]): AppError {
  const each = names.map((name) => `${groupResourceText(noun.type)} "${name}" not found`);
  return new AppError(noun.notFoundCode, each.length === 1 ? (each[0] ?? '') : `[${each.join(', ')}]`);
}
