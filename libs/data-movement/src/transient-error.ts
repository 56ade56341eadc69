import { isAppError } from '@lateen/errors';

/** The API server was away or busy, or somebody else wrote first: nothing is known to be wrong with the movement. */
export function isTransient(error: unknown): boolean {
  return (
    isAppError(error) && error.code.startsWith('KUBE_') && error.retry !== 'never' && error.code !== 'KUBE_FORBIDDEN'
  );
}
