import { describe, expect, it } from 'vitest';
import { listProblems, type NameLists, nameFilter, scopedListProblems } from './name-lists.ts';

describe('included and excluded names', () => {
  it.each<[NameLists, string, boolean]>([
    [{}, 'a', true],
    [{ included: null, excluded: null }, 'a', true],
    [{ included: [], excluded: [] }, 'a', true],
    [{ included: ['*'] }, 'a', true],
    [{ included: ['a'] }, 'a', true],
    [{ included: ['a'] }, 'b', false],
    [{ included: ['a', 'b'] }, 'b', true],
    [{ included: ['a', '*'] }, 'c', true],
    [{ included: ['a*'] }, 'ab', true],
    [{ included: ['a*'] }, 'ba', false],
    [{ excluded: ['a'] }, 'a', false],
    [{ excluded: ['a'] }, 'b', true],
    [{ excluded: ['a*', 'b'] }, 'ab', false],
    [{ excluded: ['*'] }, 'a', false],
    [{ included: ['*'], excluded: ['a'] }, 'a', false],
    [{ included: ['a*'], excluded: ['ab'] }, 'ab', false],
    [{ included: ['a*'], excluded: ['ab'] }, 'ac', true],
    [{ included: ['ab'], excluded: ['a*'] }, 'ab', false],
  ])('%j: %s: %s', (lists, name, matches) => expect(nameFilter(lists).matches(name)).toBe(matches));

  it.each<[NameLists, boolean]>([
    [{}, true],
    [{ included: ['*'] }, true],
    [{ included: [], excluded: [] }, true],
    [{ included: ['a'] }, false],
    [{ excluded: ['a'] }, false],
    [{ included: ['*'], excluded: ['a'] }, false],
    [{ included: ['a*'] }, false],
  ])('%j includes everything: %s', (lists, everything) => expect(nameFilter(lists).everything).toBe(everything));
});

const alone = "includes list must either contain '*' only, or a non-empty list of items";
const excludedAlone = "excludes list must either contain '*' only, or a non-empty list of items";
const both = (name: string) => `excludes list cannot contain an item in the includes list: ${name}`;

describe('lists that contradict each other', () => {
  it.each<[NameLists, string[]]>([
    [{}, []],
    [{ included: ['*'], excluded: ['a'] }, []],
    [{ included: ['a'], excluded: ['b'] }, []],
    [{ included: ['*', 'a'] }, [alone]],
    [{ included: ['a', '*'] }, [alone]],
    [{ excluded: ['*'] }, ["excludes list cannot contain '*'"]],
    [{ excluded: ['a', '*'] }, ["excludes list cannot contain '*'"]],
    [{ included: ['a'], excluded: ['a'] }, [both('a')]],
    [{ included: ['a', 'b'], excluded: ['b', 'a'] }, [both('b'), both('a')]],
    [{ included: ['a'], excluded: ['a', 'a'] }, [both('a')]],
    [{ included: ['a*'], excluded: ['ab'] }, []],
    [{ included: ['*', 'a'], excluded: ['*', 'a'] }, [alone, "excludes list cannot contain '*'", both('a')]],
    [{ included: ['*', '*'] }, []],
  ])('%j: %j', (lists, problems) => expect(listProblems(lists)).toEqual(problems));

  it.each<[NameLists, string[]]>([
    [{}, []],
    [{ included: ['*'] }, []],
    [{ excluded: ['*'] }, []],
    [{ included: ['*'], excluded: ['a'] }, []],
    [{ included: ['*', 'a'] }, [alone]],
    [{ excluded: ['*', 'a'] }, [excludedAlone]],
    [{ included: ['a'], excluded: ['*'] }, ["when exclude is '*', include cannot have value"]],
    [{ included: ['*'], excluded: ['*'] }, ["when exclude is '*', include cannot have value"]],
    [
      { included: ['a'], excluded: ['*', 'a'] },
      [excludedAlone, "when exclude is '*', include cannot have value", both('a')],
    ],
    [{ excluded: ['*', '*'] }, []],
    [{ included: ['a'], excluded: ['a'] }, [both('a')]],
  ])('by scope, %j: %j', (lists, problems) => expect(scopedListProblems(lists)).toEqual(problems));
});
