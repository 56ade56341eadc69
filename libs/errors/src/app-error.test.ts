import { describe, expect, it } from 'vitest';
import { AppError, isAppError } from './app-error.ts';
import { describeError } from './describe-error.ts';

describe('AppError', () => {
  it('is identified by code, and is not retried unless it says so', () => {
    const error = new AppError('A', 'text');
    expect([isAppError(error), isAppError(error, 'A'), isAppError(error, 'B'), error.retry]).toEqual([
      true,
      true,
      false,
      'never',
    ]);
    expect(isAppError(new Error('text'))).toBe(false);
    expect(isAppError(undefined)).toBe(false);
  });
  it('is recognized by its brand, even from another bundle', () => {
    expect(isAppError({ [Symbol.for('lateen.dev/AppError')]: true, code: 'A' }, 'A')).toBe(true);
  });
});

describe('describeError', () => {
  it('contains each cause once and ends with the next step', () => {
    const root = new Error('connection refused');
    const middle = new AppError('M', 'the API server cannot be reached', { cause: root });
    const top = new AppError('T', 'listing failed: the API server cannot be reached', {
      cause: middle,
      nextStep: 'Start it.',
    });
    expect(describeError(top)).toBe('listing failed: the API server cannot be reached: connection refused. Start it.');
  });
  it('takes the next step from the nearest cause that has one', () => {
    const cause = new AppError('C', 'no bucket', { nextStep: 'Make it.' });
    expect(describeError(new Error('failed', { cause }))).toBe('failed: no bucket. Make it.');
  });
  it('has one full stop before the next step, whatever the other messages end with', () => {
    const error = new AppError('E', 'The node was low on resource: memory. ', { nextStep: 'Free some.' });
    expect(describeError(error)).toBe('The node was low on resource: memory. Free some.');
  });
  it('handles a cause that refers to itself, and values that are not errors', () => {
    const loop = new Error('loop');
    loop.cause = loop;
    expect(describeError(loop)).toBe('loop');
    expect(describeError('text')).toBe('text');
    expect(describeError(undefined)).toBe('unknown error');
    expect(describeError(new AggregateError([new Error('a'), new Error('b')]))).toBe('a; b');
  });
});
