import { describe, expect, it } from 'vitest';
import { namespaceListProblems, namespaceProblem } from './namespace-names.ts';

const noLabel = /^a lowercase RFC 1123 label must consist of/;

describe('namespace names in a filter', () => {
  it.each(['shop', 'shop-2', '2-shop', '*', 'team-*', '*-prod', 'ns?', 'ns[1-3]', 'ns[abc]-*', '', 'a'.repeat(63)])(
    '%j is valid',
    (name) => expect(namespaceProblem(name)).toBeUndefined(),
  );

  it.each<[string, string | RegExp]>([
    ['Shop', noLabel],
    ['shop_2', noLabel],
    ['-shop', noLabel],
    ['shop-', noLabel],
    ['shop.eu', noLabel],
    ['shop/eu', noLabel],
    [' shop', noLabel],
    ['Team-*', noLabel],
    ['a'.repeat(64), 'must be no more than 63 characters'],
    ['a**', 'wildcard pattern contains consecutive asterisks (only single * allowed)'],
    ['{a,b}', 'wildcard pattern contains unsupported characters: |, (, ), !, {, }, ,'],
    ['a[', "wildcard pattern contains unclosed bracket '['"],
    ['a[]', "wildcard pattern contains empty bracket pattern '[]'"],
  ])('%j is invalid: %s', (name, problem) => {
    if (typeof problem === 'string') expect(namespaceProblem(name)).toBe(problem);
    else expect(namespaceProblem(name)).toMatch(problem);
  });

  it('reports an invalid entry of either list once', () => {
    expect(namespaceListProblems({ included: ['*', 'a**'], excluded: ['a**', 'b|c'] })).toEqual([
      "includes list must either contain '*' only, or a non-empty list of items",
      'excludes list cannot contain an item in the includes list: a**',
      'invalid namespace "a**": wildcard pattern contains consecutive asterisks (only single * allowed)',
      'invalid namespace "b|c": wildcard pattern contains unsupported characters: |, (, ), !, {, }, ,',
    ]);
  });
});
