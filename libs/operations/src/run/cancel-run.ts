import { AppError } from '@lateen/errors';
import { isNotFound, type KubeApi, keyOf } from '@lateen/kube';
import type { Run, RunNoun } from './run-noun.ts';

/**
 * Requests the cancellation of a run, which works in every phase before its last. Safe to repeat. Resolves with the updated object; undefined
 * when it is gone or had ended before the request.
 * @throws AppError CANCEL_NOT_KNOWN when the API drops the request: then the CRD is that of Velero
 */
export async function requestRunCancel<T extends Run>(
  kube: KubeApi,
  noun: RunNoun<T>,
  run: T,
  signal: AbortSignal,
): Promise<T | undefined> {
  try {
    const body = { spec: { cancel: true } };
    const asked = await kube.patch(noun.type, keyOf(run), { type: 'merge', body }, { signal });
    if (noun.hasEnded(asked)) return undefined;
    if (asked.spec.cancel !== true)
      throw new AppError(
        'CANCEL_NOT_KNOWN',
        `${noun.word} "${run.metadata.name}" cannot be canceled: the ${noun.type.kind} kind of this cluster has no spec.cancel`,
        { nextStep: 'The API is that of Velero; "lateen install" installs that of Lateen.' },
      );
    return asked;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
