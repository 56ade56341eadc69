import type { AppError } from '@lateen/errors';
import {
  jsonObjectIn,
  type OwnWords,
  type ProviderWords,
  type Refusal,
  type RefusalCause,
  refusedError,
  type StorePlace,
  unreachableError,
} from '@lateen/object-store';
import { endpointOf, type GcsStoreConfig } from './gcs-config.ts';

/** How messages speak of a bucket. Nothing in the spec says Google's address. */
export function storePlaceOf(config: GcsStoreConfig): StorePlace {
  const { host, protocol } = new URL(endpointOf(config));
  const service = 'Google Cloud Storage';
  return {
    kind: 'bucket',
    name: config.bucket,
    host,
    tls: protocol === 'https:',
    service,
    setting: '',
    hostSetting: '',
  };
}

/** The error of the ObjectStore port for an answer outside 2xx. `subject`: `object "k"`, "" for the bucket. */
export function gcsRefusedError(refusal: Refusal, subject: string, config: GcsStoreConfig): AppError {
  return refusedError(refusal, { subject, place: storePlaceOf(config), words: wordsFor(refusal) });
}

/** No answer at all: DNS, connection, TLS, time. */
export function gcsUnreachableError(cause: unknown, config: GcsStoreConfig): AppError {
  return unreachableError(cause, { what: `object store ${endpointOf(config)}`, ...storePlaceOf(config) });
}

/** Reasons that say more than their status (Cloud Storage JSON API, "HTTP status and error codes"). */
const causes: Readonly<Record<string, RefusalCause>> = {
  accountDisabled: 'disabled',
  userProjectAccountProblem: 'disabled',
  UserProjectAccountProblem: 'disabled',
  rateLimitExceeded: 'busy',
  userRateLimitExceeded: 'busy',
};

function wordsFor({ status, code, isHtml }: Refusal): ProviderWords {
  const cause = causes[code];
  if (cause !== undefined || isHtml) return { cause };
  if (status === 401) {
    return { nextStep: 'Check the key in the Secret of the location, or the workload identity of the pods.' };
  }
  return status === 403
    ? { nextStep: 'Give the account of the location the role "Storage Object Admin" on the bucket.' }
    : {};
}

/** The words of an error answer in JSON; downloads are refused with plain text, which has none. */
export function wordsIn(text: string): OwnWords {
  const error = /^\s*\{/.test(text) ? jsonObjectIn(text)?.error : undefined;
  if (typeof error !== 'object' || error === null) return { code: '', message: '' };
  const { message, errors } = error as { message?: unknown; errors?: unknown };
  const [first] = Array.isArray(errors) ? (errors as unknown[]) : [];
  const reason = typeof first === 'object' && first !== null && 'reason' in first ? first.reason : '';
  return {
    code: typeof reason === 'string' ? reason : '',
    message: typeof message === 'string' ? message : '',
  };
}
