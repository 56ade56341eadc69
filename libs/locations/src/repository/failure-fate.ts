import { isAppError } from '@lateen/errors';

/**
 * What a failed attempt to open a repository says about it.
 * - `wrong`: something is known to be wrong with it, its location or its password; a person has to change that.
 * - `passing`: API server, store or engine was not available, or not in time; nothing is known about the repository.
 * - `unclear`: it failed with an unknown error. The same error again and again is not temporary.
 */
export type FailureFate = 'wrong' | 'passing' | 'unclear';

const wrong: ReadonlySet<string> = new Set([
  'REPOSITORY_PASSWORD_WRONG',
  'REPOSITORY_PASSWORD_HALF_CHANGED',
  'REPOSITORY_PASSWORD_EMPTY',
  'REPOSITORY_PASSWORD_INVALID',
  'REPOSITORY_INVALID',
  'REPOSITORY_NOT_FOUND',
  'REPOSITORY_LOCATION_NOT_EMPTY',
  'REPOSITORY_CORRUPTED',
  'LOCATION_NOT_FOUND',
  'LOCATION_INVALID',
  'LOCATION_UNSUPPORTED',
  'BUCKET_NOT_FOUND',
  'OBJECT_STORE_FORBIDDEN',
  'CREDENTIALS_INVALID',
  'SECRET_NOT_FOUND',
  'SECRET_KEY_NOT_FOUND',
]);

const passing: ReadonlySet<string> = new Set([
  'KUBE_UNAVAILABLE',
  'KUBE_SERVER_ERROR',
  'KUBE_TOO_MANY_REQUESTS',
  'KUBE_CONFLICT',
  'OBJECT_STORE_UNAVAILABLE',
  'CREDENTIALS_UNAVAILABLE',
  'REPOSITORY_TIMEOUT',
  'REPOSITORY_LOCKED',
  'PROGRAM_NOT_STARTED',
  'ENGINE_KILLED',
]);

export function failureFate(error: unknown): FailureFate {
  if (!isAppError(error)) return 'unclear';
  if (wrong.has(error.code)) return 'wrong';
  return passing.has(error.code) || error.retry === 'soon' ? 'passing' : 'unclear';
}

/** Tries in a row after which a failure that is not known to be wrong counts like one. */
const triesMax = 3;

/**
 * Whether a repository is NotReady after this number of failed attempts in a row. A Ready repository stays Ready while only temporary errors are
 * known; one that was never opened stays as it is for a few attempts, because clients that wait give up when it is NotReady. Pure.
 */
export function isNotReadyAfter(fate: FailureFate, times: number, isReady: boolean): boolean {
  if (fate === 'wrong') return true;
  return times >= triesMax && !(isReady && fate === 'passing');
}
