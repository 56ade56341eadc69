import { describe, expect, it } from 'vitest';
import { AppError, isAppError } from './app-error.ts';
import { describeError } from './describe-error.ts';

describe('AppError', () => {
  it('is told apart by code, and is final unless it says otherwise', () => {
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
  it('is known by its brand, so that a copy of the class from another bundle counts', () => {
    expect(isAppError({ [Symbol.for('lateen.dev/AppError')]: true, code: 'A' }, 'A')).toBe(true);
  });
});

describe('describeError', () => {
  it('says each cause once and ends in the next step', () => {
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
  it('has one full stop before the next step, whatever others end their words with', () => {
    const error = new AppError('E', 'The node was low on resource: memory. ', { nextStep: 'Free some.' });
    expect(describeError(error)).toBe('The node was low on resource: memory. Free some.');
  });
  it('ends with a cause that points back at itself, and with what is no error', () => {
    const loop = new Error('loop');
    loop.cause = loop;
    expect(describeError(loop)).toBe('loop');
    expect(describeError('text')).toBe('text');
    expect(describeError(undefined)).toBe('unknown error');
    expect(describeError(new AggregateError([new Error('a'), new Error('b')]))).toBe('a; b');
  });
});
