import { AppError } from '@lateen/errors';
import { describe, expect, it } from 'vitest';
import { failureFate, isNotReadyAfter } from './failure-fate.ts';

describe('the effect of a failed attempt on a repository', () => {
  it.each([
    ['wrong', new AppError('REPOSITORY_PASSWORD_WRONG', '', { retry: 'later' })],
    ['wrong', new AppError('LOCATION_NOT_FOUND', '', { retry: 'later' })],
    ['wrong', new AppError('REPOSITORY_INVALID', '')],
    ['passing', new AppError('KUBE_UNAVAILABLE', '', { retry: 'soon' })],
    ['passing', new AppError('OBJECT_STORE_UNAVAILABLE', '', { retry: 'later' })],
    ['passing', new AppError('OBJECT_STORE_BAD_ANSWER', '', { retry: 'soon' })],
    ['unclear', new AppError('ENGINE_FAILED', '', { retry: 'later' })],
    ['unclear', new TypeError('undefined is not a function')],
  ] as const)('is %s: %s', (fate, error) => expect(failureFate(error)).toBe(fate));

  it.each([
    ['wrong', 1, true, true],
    ['passing', 1, true, false],
    ['passing', 99, true, false],
    ['unclear', 2, true, false],
    ['unclear', 3, true, true],
    ['wrong', 1, false, true],
    ['passing', 2, false, false],
    ['passing', 3, false, true],
    ['unclear', 3, false, true],
  ] as const)('%s, attempt %d, Ready before %s: NotReady %s', (fate, times, isReady, expected) => {
    expect(isNotReadyAfter(fate, times, isReady)).toBe(expected);
  });
});
