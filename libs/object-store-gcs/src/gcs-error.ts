import { AppError } from '@lateen/errors';
import { endpointOf, type GcsStoreConfig } from './gcs-config.ts';

/** The error of the ObjectStore port for an answer outside 2xx. `subject`: `object "k"`, "" for the bucket. */
export function refusedError(status: number, said: string, subject: string, config: GcsStoreConfig): AppError {
  const why = said === '' ? `HTTP ${status}` : said;
  const where = `bucket "${config.bucket}" of Google Cloud Storage`;
  if (status === 404 && subject === '') {
    return new AppError('BUCKET_NOT_FOUND', `${where} does not exist (${why})`, {
      retry: 'later',
      nextStep: 'Create the bucket, or correct its name.',
    });
  }
  if (status === 404) return new AppError('OBJECT_NOT_FOUND', `${subject} is not in ${where}`);
  if (status === 401 || status === 403) {
    return new AppError('OBJECT_STORE_FORBIDDEN', `${where} refuses access (${why})`, {
      retry: 'later',
      nextStep: 'Give the account of the location the role "Storage Object Admin" on the bucket.',
    });
  }
  if (status === 408 || status === 429 || status >= 500) {
    return new AppError('OBJECT_STORE_UNAVAILABLE', `${where} answers ${why}`, { retry: 'later' });
  }
  return new AppError(
    'OBJECT_STORE_BAD_ANSWER',
    `${where} answers HTTP ${status} (${why}) for ${subject || 'a listing'}`,
    {
      retry: 'later',
    },
  );
}

/** No answer at all: DNS, connection, TLS, time. */
export function unreachableError(cause: unknown, config: GcsStoreConfig): AppError {
  return new AppError('OBJECT_STORE_UNAVAILABLE', `object store ${endpointOf(config)} cannot be reached`, {
    retry: 'later',
    cause,
    nextStep: nextStepFor(codeOf(cause)),
  });
}

function nextStepFor(code: string): string {
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(code)) {
    return 'Its certificate is not trusted; give its authority in objectStorage.caCertRef.';
  }
  return 'Check the network between the cluster and Google.';
}

function codeOf(cause: unknown): string {
  for (let current = cause, depth = 0; typeof current === 'object' && current !== null && depth < 5; depth++) {
    if ('code' in current && typeof current.code === 'string') return current.code;
    current = 'cause' in current ? current.cause : undefined;
  }
  return '';
}

/** The words of an error answer: JSON of the API, else the first line of what came. */
export function wordsOf(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === 'object' && parsed !== null && 'error' in parsed) {
      const { error } = parsed;
      if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message);
    }
  } catch {
    // Downloads are refused with plain text.
  }
  return (body.split('\n', 1)[0] ?? '').slice(0, 200);
}
