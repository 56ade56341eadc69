import { describe, expect, it } from 'vitest';
import { isLabelKey, isLabelValue } from './label-syntax.ts';

describe('labels that the API server accepts', () => {
  it.each([
    ['app', true],
    ['App_1.x', true],
    ['app.kubernetes.io/name', true],
    ['a'.repeat(63), true],
    ['a'.repeat(64), false],
    ['', false],
    ['/a', false],
    ['a/', false],
    ['a/b/c', false],
    ['Upper.io/name', false],
    ['-a', false],
    ['a-', false],
    ['a b', false],
  ])('key %j: %s', (key, is) => expect(isLabelKey(key)).toBe(is));

  it.each([
    ['', true],
    ['v1.2_x', true],
    ['a'.repeat(63), true],
    ['a'.repeat(64), false],
    ['a/b', false],
    ['-a', false],
    ['a,b', false],
  ])('value %j: %s', (value, is) => expect(isLabelValue(value)).toBe(is));
});
