import { AppError, isAppError } from '@lateen/errors';
import { redactText } from '@lateen/kernel';
import { isNotFound } from '@lateen/kube';

/** 404 and 500 are those of Longhorn. The others are for features that it does not have: rights, and limits of the server. */
export type RestErrorStatus = keyof typeof codes;

export interface ErrorBody {
  readonly type: 'error';
  readonly status: RestErrorStatus;
  readonly code: string;
  readonly message: string;
  readonly detail: '';
  readonly links: Readonly<Record<string, string>>;
  readonly actions: Readonly<Record<string, never>>;
}

export interface ErrorAnswer {
  readonly status: RestErrorStatus;
  /** The body is JSON all the same. */
  readonly contentType: 'text/plain';
  readonly body: ErrorBody;
}

const codes = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  413: 'Payload Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
} as const;

/** Errors of our own that have a status of their own. */
const statusOfCode: Readonly<Record<string, RestErrorStatus>> = {
  REST_UNAUTHORIZED: 401,
  REST_FORBIDDEN: 403,
  REST_BUSY: 503,
};

/** A request that is not carried out, in the words that clients know. */
export const refused = (text: string): AppError => new AppError('REST_REFUSED', text);

/** Something that is not there. */
export const notFound = (text: string): AppError => new AppError('REST_NOT_FOUND', text);

/**
 * How an error is answered: 404 when something was not there, also at the bottom of a row of causes; 500 for everything else, refusals
 * of what was sent included; and for rights and limits, which Longhorn does not have, what HTTP has. `url` is what was asked for; `known` the status
 * of an error from the server below.
 */
export function toErrorBody(error: unknown, url: string, known?: RestErrorStatus): ErrorAnswer {
  const own = isAppError(error) ? statusOfCode[error.code] : undefined;
  const status = known ?? own ?? (isAboutNothing(error) ? 404 : 500);
  return {
    status,
    contentType: 'text/plain',
    body: {
      type: 'error',
      status,
      code: codes[status],
      message: messageOf(error),
      detail: '',
      links: { self: url },
      actions: {},
    },
  };
}

/** Causes are followed this far, should they ever form a ring. */
const causesMax = 16;

function isAboutNothing(error: unknown): boolean {
  let one = error;
  for (let depth = 0; depth < causesMax && one instanceof Error; depth++) {
    if (isNotFound(one) || isAppError(one, 'REST_NOT_FOUND')) return true;
    one = one.cause;
  }
  return false;
}

/** What others say may have an address with a password in it. */
const messageOf = (error: unknown): string => redactText(error instanceof Error ? error.message : String(error));
