import { isAppError } from '@lateen/errors';

/**
 * What a try that failed says of the repository.
 * - `wrong`: something is known to be wrong with it, its location or its password; a person has to change that.
 * - `passing`: API server, store or engine was not to be had, or not in time; nothing is known of the repository.
 * - `unclear`: it failed in a way that nobody has described. The same again and again is no passing trouble.
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
 * Whether a repository is NotReady after so many tries in a row. One that is Ready stays so while nothing but passing trouble is
 * known; one that was never opened does for a few tries, because whoever waits for it gives up when it is NotReady. Pure.
 */
export function isNotReadyAfter(fate: FailureFate, times: number, isReady: boolean): boolean {
  if (fate === 'wrong') return true;
  return times >= triesMax && !(isReady && fate === 'passing');
}
