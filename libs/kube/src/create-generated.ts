import type { KubeObject, ResourceType } from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import type { Random } from '@lateen/kernel';
import { deleteIfThere } from './delete-if-there.ts';
import type { KubeApi } from './kube-api.ts';
import { isAlreadyExists } from './kube-error.ts';
import { keyOf } from './kube-object.ts';
import { readObject } from './read-object.ts';

/** As the API server cuts and completes metadata.generateName. */
const baseLengthMax = 58;
const suffixLength = 5;

/** So many names in a row that are taken are no chance any more. */
const triesMax = 5;

export const generatedName = (base: string, random: Random): string =>
  `${base.slice(0, baseLengthMax)}${random.suffix(suffixLength)}`;

/**
 * Creates an object that has metadata.generateName. The name is chosen here, as the API server would choose it, so that the
 * object is found again when the answer to the write was lost: it is then returned, or deleted if `signal` has aborted.
 * Nothing stays behind unknown.
 * @throws what `create` throws
 */
export async function createGenerated<T extends KubeObject>(
  { kube, random }: { kube: KubeApi; random: Random },
  type: ResourceType<T>,
  object: NoInfer<T>,
  signal: AbortSignal,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    const name = generatedName(object.metadata.generateName ?? '', random);
    const named = { ...object, metadata: { ...object.metadata, name } };
    try {
      return await kube.create(type, named, { signal });
    } catch (error) {
      if (isAlreadyExists(error) && tries < triesMax) continue;
      if (!signal.aborted && !isOutcomeUnknown(error)) throw error;
      const made = await readObject(kube, type, keyOf(named), new AbortController().signal).catch(() => undefined);
      if (made === undefined) throw error;
      if (!signal.aborted) return made;
      await deleteIfThere(kube, type, made);
      throw error;
    }
  }
}

const isOutcomeUnknown = (error: unknown): boolean =>
  isAppError(error) && ['KUBE_UNAVAILABLE', 'KUBE_BAD_ANSWER', 'KUBE_SERVER_ERROR'].includes(error.code);
