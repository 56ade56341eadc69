import { describe, expect, it } from 'vitest';
import { loadAffinityFor } from './load-affinity.ts';

const named = (value: string, storageClass?: string) => ({
  nodeSelector: { matchLabels: { pool: value } },
  ...(storageClass === undefined ? {} : { storageClass }),
});
const inPool = (value: string) => [{ key: 'pool', operator: 'In', values: [value] }];

describe('loadAffinity', () => {
  it.each([
    ['nothing set', undefined, 'fast', []],
    ['the entry of the class, at any position', [named('a'), named('b', 'fast')], 'fast', inPool('b')],
    ['the first of two entries of the class', [named('a', 'fast'), named('b', 'fast')], 'fast', inPool('a')],
    [
      'the first entry without a class, if none matches',
      [named('x', 'slow'), named('a'), named('b', '')],
      'fast',
      inPool('a'),
    ],
    ['none, if no entry matches', [named('x', 'slow')], 'fast', []],
    ['a claim without a class', [named('x', 'slow'), named('a')], '', inPool('a')],
  ])('%s', (_, entries, storageClass, requirements) => {
    expect(loadAffinityFor(entries, storageClass)).toEqual(requirements);
  });
  it('labels and expressions must all match', () => {
    const nodeSelector = {
      matchLabels: { pool: 'backup' },
      matchExpressions: [
        { key: 'disk', operator: 'NotIn', values: ['hdd', 'tape'] },
        { key: 'spot', operator: 'DoesNotExist' },
      ],
    };
    expect(loadAffinityFor([{ nodeSelector }], 'any')).toEqual([
      { key: 'pool', operator: 'In', values: ['backup'] },
      { key: 'disk', operator: 'NotIn', values: ['hdd', 'tape'] },
      { key: 'spot', operator: 'DoesNotExist' },
    ]);
  });
});
