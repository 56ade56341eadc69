import { isNotFound, type KubeApi, keyOf } from '@lateen/kube';
import { hasEnded } from './movement-facts.ts';
import { kindOf, type Movement } from './movement-kinds.ts';

/**
 * Requests the cancellation of a movement, which works in every phase. Safe to repeat. Resolves with the updated object; undefined when it is
 * gone or had ended before the request.
 */
export async function requestCancel(
  kube: KubeApi,
  movement: Movement,
  signal: AbortSignal,
): Promise<Movement | undefined> {
  try {
    const body = { spec: { cancel: true } };
    const asked = await kube.patch(kindOf(movement).type, keyOf(movement), { type: 'merge', body }, { signal });
    return hasEnded(asked) ? undefined : asked;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
