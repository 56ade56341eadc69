import { AppError, isAppError, type RetryFate } from '@lateen/errors';

/** Every way a call to the API server can fail. */
export type KubeErrorCode =
  | 'KUBE_BAD_REQUEST'
  | 'KUBE_UNAUTHORIZED'
  | 'KUBE_FORBIDDEN'
  | 'KUBE_NOT_FOUND'
  | 'KUBE_METHOD_NOT_ALLOWED'
  | 'KUBE_ALREADY_EXISTS'
  | 'KUBE_CONFLICT'
  | 'KUBE_GONE'
  | 'KUBE_INVALID'
  | 'KUBE_TOO_MANY_REQUESTS'
  | 'KUBE_SERVER_ERROR'
  /** 503, 504, or no connection at all. */
  | 'KUBE_UNAVAILABLE'
  /** An answer that is not what the API promises (HTML of a proxy, torn JSON). */
  | 'KUBE_BAD_ANSWER';

const fates: Record<KubeErrorCode, RetryFate> = {
  KUBE_BAD_REQUEST: 'never',
  KUBE_UNAUTHORIZED: 'later',
  KUBE_FORBIDDEN: 'later',
  KUBE_NOT_FOUND: 'never',
  KUBE_METHOD_NOT_ALLOWED: 'never',
  KUBE_ALREADY_EXISTS: 'never',
  KUBE_CONFLICT: 'soon',
  KUBE_GONE: 'soon',
  KUBE_INVALID: 'never',
  KUBE_TOO_MANY_REQUESTS: 'later',
  KUBE_SERVER_ERROR: 'later',
  KUBE_UNAVAILABLE: 'soon',
  KUBE_BAD_ANSWER: 'later',
};

/** metav1.Status, the parts we read. */
export interface StatusBody {
  kind?: string;
  status?: string;
  message?: string;
  reason?: string;
  code?: number;
  /** For an expired list: the token that continues after its last object. */
  metadata?: { continue?: string; [field: string]: unknown };
  details?: { retryAfterSeconds?: number; causes?: StatusCause[]; [field: string]: unknown };
}

/** One of several things that are wrong with a request: which field, and what about it. */
export interface StatusCause {
  /** `FieldValueForbidden`, `FieldValueInvalid`, `NamespaceTerminating`. */
  reason?: string;
  message?: string;
  field?: string;
}

export function kubeError(
  code: KubeErrorCode,
  message: string,
  options: {
    cause?: unknown;
    httpStatus?: number;
    reason?: string;
    retryAfterMs?: number;
    nextStep?: string;
    continue?: string;
    causes?: readonly StatusCause[];
  } = {},
): AppError {
  const { cause, nextStep, ...details } = options;
  return new AppError(code, message, {
    retry: fates[code],
    details,
    ...(cause === undefined ? {} : { cause }),
    ...(nextStep === undefined ? {} : { nextStep }),
  });
}

/** The error for an HTTP answer outside 2xx, or for an ERROR event of a watch (its object is a Status). */
export function kubeErrorFromStatus(
  httpStatus: number,
  body: StatusBody,
  request: string,
  retryAfterMs?: number,
): AppError {
  const reason = body.reason ?? '';
  const wait =
    retryAfterMs ?? (body.details?.retryAfterSeconds === undefined ? undefined : body.details.retryAfterSeconds * 1000);
  const next = body.metadata?.continue ?? '';
  const causes = body.details?.causes ?? [];
  return kubeError(codeOf(httpStatus, reason), body.message ?? `${request}: the API server answered ${httpStatus}`, {
    httpStatus,
    reason,
    ...(next === '' ? {} : { continue: next }),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(causes.length === 0 ? {} : { causes }),
  });
}

function codeOf(httpStatus: number, reason: string): KubeErrorCode {
  switch (httpStatus) {
    case 400:
      return 'KUBE_BAD_REQUEST';
    case 401:
      return 'KUBE_UNAUTHORIZED';
    case 403:
      return 'KUBE_FORBIDDEN';
    case 404:
      return 'KUBE_NOT_FOUND';
    case 405:
      return 'KUBE_METHOD_NOT_ALLOWED';
    case 409:
      return reason === 'AlreadyExists' ? 'KUBE_ALREADY_EXISTS' : 'KUBE_CONFLICT';
    case 410:
      return 'KUBE_GONE';
    case 422:
      return 'KUBE_INVALID';
    case 429:
      return 'KUBE_TOO_MANY_REQUESTS';
    case 503:
    case 504:
      return 'KUBE_UNAVAILABLE';
    default:
      return httpStatus >= 500 ? 'KUBE_SERVER_ERROR' : 'KUBE_BAD_REQUEST';
  }
}

export const isNotFound = (error: unknown): boolean => isAppError(error, 'KUBE_NOT_FOUND');
export const isConflict = (error: unknown): boolean => isAppError(error, 'KUBE_CONFLICT');
export const isAlreadyExists = (error: unknown): boolean => isAppError(error, 'KUBE_ALREADY_EXISTS');
export const isGone = (error: unknown): boolean => isAppError(error, 'KUBE_GONE');

/**
 * A watch that was given up because nothing came, not even a bookmark. Expected where nothing happens and the server sends
 * no bookmarks: Events are not in its watch cache.
 */
export const isIdleEnd = (error: unknown): boolean =>
  isAppError(error, 'KUBE_UNAVAILABLE') && error.details.reason === 'IDLE';

/** What the server says is wrong, field by field; empty where it did not. */
export function causesOf(error: unknown): readonly StatusCause[] {
  if (!isAppError(error)) return [];
  const { causes } = error.details;
  return Array.isArray(causes) ? (causes as StatusCause[]) : [];
}

/** How long the server asked to wait (Retry-After), in ms; undefined when it did not say. */
export function retryAfterMsOf(error: unknown): number | undefined {
  if (!isAppError(error)) return undefined;
  const { retryAfterMs } = error.details;
  return typeof retryAfterMs === 'number' && retryAfterMs > 0 ? retryAfterMs : undefined;
}

/**
 * The token with which an expired list continues after the last received object, in the present state; undefined when the server gave
 * none with its KUBE_GONE.
 */
export function continueAfterExpiry(error: unknown): string | undefined {
  if (!isGone(error) || !isAppError(error)) return undefined;
  const { continue: next } = error.details;
  return typeof next === 'string' ? next : undefined;
}
