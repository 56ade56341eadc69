import { describeError, isAppError } from '@lateen/errors';
import { causesOf } from '@lateen/kube';

/** HTTP status codes for errors that a test injects by code alone. */
const statusOfCode: Record<string, number> = {
  KUBE_BAD_REQUEST: 400,
  KUBE_UNAUTHORIZED: 401,
  KUBE_FORBIDDEN: 403,
  KUBE_NOT_FOUND: 404,
  KUBE_METHOD_NOT_ALLOWED: 405,
  KUBE_ALREADY_EXISTS: 409,
  KUBE_CONFLICT: 409,
  KUBE_GONE: 410,
  KUBE_INVALID: 422,
  KUBE_TOO_MANY_REQUESTS: 429,
  KUBE_UNAVAILABLE: 503,
};

export interface StatusAnswer {
  httpStatus: number;
  headers: Record<string, string>;
  /** metav1.Status */
  body: object;
}

/** An error of the fake as the API server would send it. */
export function statusAnswer(error: unknown): StatusAnswer {
  const details = isAppError(error) ? error.details : {};
  const code = isAppError(error) ? error.code : '';
  const httpStatus = typeof details.httpStatus === 'number' ? details.httpStatus : (statusOfCode[code] ?? 500);
  const reason =
    typeof details.reason === 'string' ? details.reason : code === 'KUBE_ALREADY_EXISTS' ? 'AlreadyExists' : '';
  const headers: Record<string, string> =
    typeof details.retryAfterMs === 'number' ? { 'retry-after': String(Math.ceil(details.retryAfterMs / 1000)) } : {};
  const message = describeError(error);
  const metadata = details.continue === undefined ? {} : { continue: details.continue };
  const causes = causesOf(error);
  const inDetail = causes.length === 0 ? {} : { details: { causes } };
  const status = { kind: 'Status', apiVersion: 'v1', metadata, status: 'Failure', message, reason };
  const body = { ...status, ...inDetail, code: httpStatus };
  return { httpStatus, headers, body };
}
