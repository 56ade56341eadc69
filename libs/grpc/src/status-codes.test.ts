import { status } from '@grpc/grpc-js';
import { AppError } from '@lateen/errors';
import { describe, expect, it } from 'vitest';
import { toWireError } from './status-codes.ts';

describe('toWireError', () => {
  it.each([
    { error: new AppError('NOT_FOUND', 'm'), code: status.NOT_FOUND },
    { error: new AppError('ABORTED', 'm'), code: status.ABORTED },
    { error: new AppError('OK', 'm'), code: status.INTERNAL },
    { error: new AppError('COMMAND_FAILED', 'm'), code: status.INTERNAL },
    { error: new DOMException('late', 'TimeoutError'), code: status.DEADLINE_EXCEEDED },
    { error: new DOMException('gone', 'AbortError'), code: status.CANCELLED },
    { error: new TypeError('bug'), code: status.INTERNAL },
    { error: 'text', code: status.INTERNAL },
  ])('maps $error to status $code', ({ error, code }) => {
    expect(toWireError(error).code).toBe(code);
  });

  it('contains the message, the cause, and the next step', () => {
    const error = new AppError('NOT_FOUND', 'no volume v', { cause: new Error('disk gone'), nextStep: 'Look for it.' });
    expect(toWireError(error).details).toBe('no volume v: disk gone. Look for it.');
  });

  it('limits the text, because it is sent in a header', () => {
    expect(toWireError(new Error('x'.repeat(100_000))).details.length).toBeLessThanOrEqual(2_000);
  });
});
