import { AppError, isAppError } from '@lateen/errors';
import { isNotFound } from '@lateen/kube';

export interface ErrorBody {
  readonly type: 'error';
  readonly status: 404 | 500;
  readonly code: string;
  readonly message: string;
  readonly detail: '';
  readonly links: Readonly<Record<string, string>>;
  readonly actions: Readonly<Record<string, never>>;
}

export interface ErrorAnswer {
  readonly status: 404 | 500;
  /** The body is JSON all the same. */
  readonly contentType: 'text/plain';
  readonly body: ErrorBody;
}

const codes = { 404: 'Not Found', 500: 'Internal Server Error' } as const;

/** A request that is not carried out, in the words that clients know. */
export const refused = (text: string): AppError => new AppError('REST_REFUSED', text);

/** Something that is not there. */
export const notFound = (text: string): AppError => new AppError('REST_NOT_FOUND', text);

/**
 * How an error is answered: 404 when something was not there, also at the bottom of a row of causes; 500 for everything else, refusals
 * of what was sent included. `url` is what was asked for.
 */
export function toErrorBody(error: unknown, url: string): ErrorAnswer {
  const status = isAboutNothing(error) ? 404 : 500;
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

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
