import { isAppError } from '@lateen/errors';

/** The API server was unavailable or busy, or another writer was faster: this does not mean that the movement has a problem. */
export function isTransient(error: unknown): boolean {
  if (!isAppError(error) || error.code === 'KUBE_FORBIDDEN') return false;
  return error.retry === 'soon' || (error.code.startsWith('KUBE_') && error.retry !== 'never');
}
