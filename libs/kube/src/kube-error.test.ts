import { describe, expect, it } from 'vitest';
import { isAlreadyExists, isConflict, isGone, isNotFound, kubeErrorFromStatus } from './kube-error.ts';

describe('kubeErrorFromStatus', () => {
  const rows: [number, string, string, string][] = [
    [400, 'BadRequest', 'KUBE_BAD_REQUEST', 'never'],
    [401, 'Unauthorized', 'KUBE_UNAUTHORIZED', 'later'],
    [403, 'Forbidden', 'KUBE_FORBIDDEN', 'later'],
    [404, 'NotFound', 'KUBE_NOT_FOUND', 'never'],
    [405, 'MethodNotAllowed', 'KUBE_METHOD_NOT_ALLOWED', 'never'],
    [409, 'AlreadyExists', 'KUBE_ALREADY_EXISTS', 'never'],
    [409, 'Conflict', 'KUBE_CONFLICT', 'soon'],
    [410, 'Expired', 'KUBE_GONE', 'soon'],
    [415, 'UnsupportedMediaType', 'KUBE_BAD_REQUEST', 'never'],
    [422, 'Invalid', 'KUBE_INVALID', 'never'],
    [429, 'TooManyRequests', 'KUBE_TOO_MANY_REQUESTS', 'later'],
    [500, 'InternalError', 'KUBE_SERVER_ERROR', 'later'],
    [503, 'ServiceUnavailable', 'KUBE_UNAVAILABLE', 'soon'],
    [504, 'Timeout', 'KUBE_UNAVAILABLE', 'soon'],
  ];
  it.each(rows)('maps %i %s to %s, retry: %s', (httpStatus, reason, code, retry) => {
    expect(kubeErrorFromStatus(httpStatus, { reason, message: 'why' }, 'get pods')).toMatchObject({
      code,
      retry,
      message: 'why',
      details: { httpStatus, reason },
    });
  });

  it('names at least the failed request when the response has no message', () => {
    expect(kubeErrorFromStatus(502, {}, 'list pods').message).toBe('list pods: the API server answered 502');
  });

  it('takes the delay from the header, or from the body', () => {
    const body = { details: { retryAfterSeconds: 7 } };
    expect(kubeErrorFromStatus(429, body, 'x').details).toMatchObject({ retryAfterMs: 7_000 });
    expect(kubeErrorFromStatus(429, body, 'x', 2_000).details).toMatchObject({ retryAfterMs: 2_000 });
  });

  it('is recognized by its code', () => {
    const of = (status: number, reason = '') => kubeErrorFromStatus(status, { reason }, 'x');
    expect([
      isNotFound(of(404)),
      isConflict(of(409)),
      isAlreadyExists(of(409, 'AlreadyExists')),
      isGone(of(410)),
    ]).toEqual([true, true, true, true]);
    expect([isNotFound(new Error('not found')), isConflict(of(409, 'AlreadyExists'))]).toEqual([false, false]);
  });
});
