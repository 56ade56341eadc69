import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { globProblem, globTest, isGlob } from './glob.ts';

describe('globs', () => {
  it.each([
    ['app', 'app', true],
    ['app', 'apps', false],
    ['app', 'ap', false],
    ['*', 'anything', true],
    ['*', '', true],
    ['app-*', 'app-prod', true],
    ['app-*', 'app-', true],
    ['app-*', 'app', false],
    ['app-*', 'my-app-prod', false],
    ['*-prod', 'app-prod', true],
    ['*-prod', 'prod', false],
    ['*-prod', 'app-prod-2', false],
    ['*app*', 'my-app-prod', true],
    ['*app*', 'app', true],
    ['*app*', 'ap-p', false],
    ['a*b*c', 'abc', true],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'acb', false],
    ['ns?', 'ns1', true],
    ['ns?', 'ns', false],
    ['ns?', 'ns10', false],
    ['??', 'ab', true],
    ['?*', 'a', true],
    ['?*', '', false],
    ['ns[123]', 'ns2', true],
    ['ns[123]', 'ns4', false],
    ['ns[a-c]', 'nsb', true],
    ['ns[a-c]', 'nsd', false],
    ['ns[a-c]', 'ns-', false],
    ['ns[a-c0-9]', 'ns7', true],
    ['ns[-a]', 'ns-', true],
    ['ns[a-]', 'ns-', true],
    ['ns[a-]', 'nsb', false],
    ['[ab]*', 'backup', true],
    ['[ab]*', 'cache', false],
    ['*.example.com', 'foos.example.com', true],
    ['*.example.com', 'foos.exampleXcom', false],
    ['a.b', 'axb', false],
    ['a+', 'aa', false],
    ['a$', 'a', false],
    ['App', 'app', false],
    ['ns[1', 'ns[1', true],
    ['ns[1', 'ns1', false],
  ])('%j and %j: %s', (pattern, name, fits) => expect(globTest(pattern)(name)).toBe(fits));

  it.each([
    ['a**b', 'wildcard pattern contains consecutive asterisks (only single * allowed)'],
    ['**', 'wildcard pattern contains consecutive asterisks (only single * allowed)'],
    ['a|b', 'wildcard pattern contains unsupported characters: |, (, ), !, {, }, ,'],
    ['(a)', 'wildcard pattern contains unsupported characters: |, (, ), !, {, }, ,'],
    ['{a,b}', 'wildcard pattern contains unsupported characters: |, (, ), !, {, }, ,'],
    ['a,b', 'wildcard pattern contains unsupported characters: |, (, ), !, {, }, ,'],
    ['!a', 'wildcard pattern contains unsupported characters: |, (, ), !, {, }, ,'],
    ['[!a]', 'wildcard pattern contains unsupported characters: |, (, ), !, {, }, ,'],
    ['ns[]', "wildcard pattern contains empty bracket pattern '[]'"],
    ['ns[a', "wildcard pattern contains unclosed bracket '['"],
    ['ns[[a]', "wildcard pattern contains unclosed bracket '['"],
    ['nsa]', "wildcard pattern contains unmatched closing bracket ']'"],
    ['*', undefined],
    ['team-*', undefined],
    ['ns?', undefined],
    ['ns[abc]', undefined],
    ['[a-z]*[0-9]', undefined],
    ['plain', undefined],
  ])('%j is rejected with %j', (pattern, problem) => expect(globProblem(pattern)).toBe(problem));

  it.each([
    ['a', false],
    ['a.b', false],
    ['a*', true],
    ['a?', true],
    ['[a]', true],
  ])('%j is a glob: %s', (name, is) => expect(isGlob(name)).toBe(is));

  it('gives the same answer as a simple matcher that tries every way', () => {
    const part = fc.constantFrom('*', '?', 'a', 'b', '-', '[ab]', '[a-c]');
    const pattern = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));
    const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '-'), maxLength: 8 });
    fc.assert(
      fc.property(pattern, name, (glob, text) => {
        expect(globTest(glob)(text)).toBe(naive(glob, text));
      }),
      { numRuns: 3_000 },
    );
  });

  it('matches a pattern with many asterisks in bounded time', () => {
    // A matcher that backtracks to every asterisk would practically never return from this.
    expect(globTest(`${'*a'.repeat(40)}b`)('a'.repeat(250))).toBe(false);
  });
});

/** A simple matcher: one class or character at a time, and every length of each `*`. */
function naive(glob: string, text: string): boolean {
  if (glob === '') return text === '';
  if (glob.startsWith('*')) {
    return Array.from({ length: text.length + 1 }, (_, skip) => skip).some((skip) =>
      naive(glob.slice(1), text.slice(skip)),
    );
  }
  if (text === '') return false;
  const bracket = /^\[([^\]]*)\]/.exec(glob);
  if (bracket !== null) {
    const inside = bracket[1] === 'a-c' ? 'abc' : (bracket[1] ?? '');
    return inside.includes(text.charAt(0)) && naive(glob.slice(bracket[0].length), text.slice(1));
  }
  return (glob.startsWith('?') || glob.charAt(0) === text.charAt(0)) && naive(glob.slice(1), text.slice(1));
}
