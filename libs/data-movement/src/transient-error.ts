import { isAppError } from '@lateen/errors';

/** The API server was away or busy, or somebody else wrote first: nothing is known to be wrong with the movement. */
export function isTransient(error: unknown): boolean {
  if (!isAppError(error) || error.code === 'KUBE_FORBIDDEN') return false;
  return error.retry === 'soon' || (error.code.startsWith('KUBE_') && error.retry !== 'never');
}
