import { describe, expect, it } from 'vitest';
import { isDataKey, isNamespaceName, isObjectName } from './object-name.ts';

describe('names that the API server accepts', () => {
  it.each<[string, boolean, boolean, boolean]>([
    ['velero', true, true, true],
    ['a.b-c.1', true, false, true],
    ['A_b', false, false, true],
    ['a'.repeat(63), true, true, true],
    ['a'.repeat(64), true, false, true],
    ['a'.repeat(253), true, false, true],
    ['a'.repeat(254), false, false, false],
    ['', false, false, false],
    ['.', false, false, false],
    ['..', false, false, false],
    ['..data', false, false, false],
    ['.dockerconfigjson', false, false, true],
    ['-a', false, false, true],
    ['a-', false, false, true],
    ['a/b', false, false, false],
    ['a/../b', false, false, false],
    ['a\n', false, false, false],
    ['ü', false, false, false],
  ])('%j: an object %s, a namespace %s, a key of a Secret %s', (name, object, namespace, key) => {
    expect([isObjectName(name), isNamespaceName(name), isDataKey(name)]).toEqual([object, namespace, key]);
  });
});
