import type { LabelSelector } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { matchesSelector, parseSelector, selectorProblem, selectorText } from './label-selector.ts';

const expression = (key: string, operator: string, ...values: string[]): LabelSelector => ({
  matchExpressions: [{ key, operator, ...(values.length === 0 ? {} : { values }) }],
});

describe('label selectors', () => {
  it.each<[LabelSelector, Record<string, string> | undefined, boolean]>([
    [{}, { a: '1' }, true],
    [{}, undefined, true],
    [{ matchLabels: { a: '1' } }, { a: '1', b: '2' }, true],
    [{ matchLabels: { a: '1' } }, { a: '2' }, false],
    [{ matchLabels: { a: '1' } }, undefined, false],
    [{ matchLabels: { a: '1', b: '2' } }, { a: '1' }, false],
    [{ matchLabels: { a: '' } }, { a: '' }, true],
    [{ matchLabels: { a: '' } }, {}, false],
    [expression('a', 'In', '1', '2'), { a: '2' }, true],
    [expression('a', 'In', '1', '2'), { a: '3' }, false],
    [expression('a', 'In', '1'), {}, false],
    [expression('a', 'NotIn', '1'), { a: '1' }, false],
    [expression('a', 'NotIn', '1'), { a: '2' }, true],
    [expression('a', 'NotIn', '1'), {}, true],
    [expression('a', 'NotIn', '1'), undefined, true],
    [expression('a', 'Exists'), { a: '' }, true],
    [expression('a', 'Exists'), {}, false],
    [expression('a', 'DoesNotExist'), {}, true],
    [expression('a', 'DoesNotExist'), undefined, true],
    [expression('a', 'DoesNotExist'), { a: '1' }, false],
    [expression('a', 'Near', '1'), { a: '1' }, false],
    [{ matchLabels: { a: '1' }, ...expression('b', 'Exists') }, { a: '1' }, false],
    [{ matchLabels: { a: '1' }, ...expression('b', 'Exists') }, { a: '1', b: '' }, true],
    [expression('constructor', 'Exists'), {}, false],
    [expression('toString', 'DoesNotExist'), {}, true],
  ])('%j on %j: %s', (selector, labels, means) => expect(matchesSelector(selector, labels)).toBe(means));

  it.each<[LabelSelector, string]>([
    [{}, ''],
    [{ matchLabels: { a: '1', 'b.c/d': '2' } }, 'a=1,b.c/d=2'],
    [expression('a', 'In', '1', '2'), 'a in (1,2)'],
    [expression('a', 'NotIn', '1'), 'a notin (1)'],
    [expression('a', 'Exists'), 'a'],
    [expression('a', 'DoesNotExist'), '!a'],
    [{ matchLabels: { a: '1' }, ...expression('b', 'Exists') }, 'a=1,b'],
  ])('%j is written as %j', (selector, text) => expect(selectorText(selector)).toBe(text));

  it.each<[string, LabelSelector]>([
    ['', {}],
    ['  ', {}],
    ['a=1', { matchLabels: { a: '1' } }],
    ['a==1', { matchLabels: { a: '1' } }],
    ['a = 1', { matchLabels: { a: '1' } }],
    ['a=', { matchLabels: { a: '' } }],
    ['a!=1', expression('a', 'NotIn', '1')],
    ['a in (1,2)', expression('a', 'In', '1', '2')],
    ['a in ( 1 , 2 )', expression('a', 'In', '1', '2')],
    ['a notin (1)', expression('a', 'NotIn', '1')],
    ['a', expression('a', 'Exists')],
    ['!a', expression('a', 'DoesNotExist')],
    [
      'a=1,b in (x,y),!c',
      {
        matchLabels: { a: '1' },
        matchExpressions: [
          { key: 'b', operator: 'In', values: ['x', 'y'] },
          { key: 'c', operator: 'DoesNotExist' },
        ],
      },
    ],
    ['a=1,a=2', { matchLabels: { a: '1' }, matchExpressions: [{ key: 'a', operator: 'In', values: ['2'] }] }],
    ['in', expression('in', 'Exists')],
  ])('%j is parsed as %j', (text, selector) => expect(parseSelector(text)).toEqual(selector));

  it.each([
    ['a b', 'a requirement is'],
    ['a=1,,b=2', 'a requirement is'],
    ['a>1', 'a requirement is'],
    ['a in 1', 'a requirement is'],
    ['a in (1', 'a requirement is'],
    ['-a=1', '"-a" is not a valid label key'],
    ['a=-1', '"-1" is not a valid label value'],
    ['Bad_Prefix/a=1', 'is not a valid label key'],
  ])('%j is rejected: %s', (text, why) => expect(() => parseSelector(text)).toThrow(why));

  it.each<[LabelSelector, string | undefined]>([
    [{}, undefined],
    [{ matchLabels: { 'app.kubernetes.io/name': 'shop' } }, undefined],
    [{ matchLabels: { a: '' } }, undefined],
    [{ matchLabels: { 'invalid label key!': 'x' } }, '"invalid label key!" is not a valid label key'],
    [{ matchLabels: { '/a': 'x' } }, '"/a" is not a valid label key'],
    [{ matchLabels: { [`${'a'.repeat(64)}`]: 'x' } }, `"${'a'.repeat(64)}" is not a valid label key`],
    [{ matchLabels: { a: 'x y' } }, '"x y" is not a valid label value'],
    [{ matchLabels: { a: 'x'.repeat(64) } }, `"${'x'.repeat(64)}" is not a valid label value`],
    [expression('a', 'In'), 'operator In of "a" needs values'],
    [expression('a', 'NotIn'), 'operator NotIn of "a" needs values'],
    [expression('a', 'Exists', 'x'), 'operator Exists of "a" takes no values'],
    [expression('a', 'DoesNotExist', 'x'), 'operator DoesNotExist of "a" takes no values'],
    [expression('a', 'Gt', '1'), 'operator "Gt" of "a" is none of In, NotIn, Exists, DoesNotExist'],
    [expression('a', 'In', 'x,y'), '"x,y" is not a valid label value'],
  ])('%j has the problem %j', (selector, problem) => expect(selectorProblem(selector)).toBe(problem));
});
