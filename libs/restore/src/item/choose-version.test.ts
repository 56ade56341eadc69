import { describe, expect, it } from 'vitest';
import { chooseVersion, parseVersionPriorities } from './choose-version.ts';

describe('the version in which objects are restored', () => {
  it.each<[archived: string[], served: string[], wanted: string[] | undefined, chosen: string | undefined]>([
    [['v1'], ['v1'], undefined, 'v1'],
    [['v1'], ['v2'], undefined, undefined],
    [[], ['v1'], undefined, undefined],
    // The target's preference takes precedence over the source's.
    [['v1', 'v2'], ['v2', 'v1'], undefined, 'v2'],
    [['v1', 'v2'], ['v1', 'v2'], undefined, 'v1'],
    // The source's preferred version, when the archive lacks the target's.
    [['v1', 'v1beta1'], ['v2', 'v1beta1', 'v1'], undefined, 'v1'],
    // Any version that both have.
    [['v1alpha1', 'v1beta1'], ['v2', 'v1beta1'], undefined, 'v1beta1'],
    [['v3', 'v1alpha1', 'v1beta1'], ['v2', 'v1beta1', 'v1alpha1'], undefined, 'v1beta1'],
    // The user's wish takes precedence over all others, if it is possible.
    [['v1', 'v2'], ['v2', 'v1'], ['v1'], 'v1'],
    [['v1', 'v2'], ['v2', 'v1'], ['v3', 'v1'], 'v1'],
    [['v1', 'v2'], ['v2', 'v1'], ['v3'], 'v2'],
    [['v1'], ['v2', 'v1'], ['v2'], 'v1'],
  ])('archive has %j, target serves %j, user prefers %j: %j', (archived, served, wanted, chosen) => {
    expect(chooseVersion({ archived, served, wanted })).toBe(chosen);
  });
});

describe('the version priorities of a user', () => {
  it.each<[text: string, read: Record<string, string[]>, problems: string[]]>([
    ['', {}, []],
    ['rockbands.music.example.io=v2beta1,v2beta2', { 'rockbands.music.example.io': ['v2beta1', 'v2beta2'] }, []],
    ['a.b=v1\n\n  c.d = v2 , v1 \n', { 'a.b': ['v1'], 'c.d': ['v2', 'v1'] }, []],
    ['a.b=v1\nbroken', { 'a.b': ['v1'] }, ['broken']],
    ['a.b=', {}, ['a.b=']],
    ['a.b=1', {}, ['a.b=1']],
    ['=v1', {}, ['=v1']],
    ['a.b=v1=v2', {}, ['a.b=v1=v2']],
  ])('parses %j', (text, read, problems) => {
    const said: string[] = [];
    const priorities = parseVersionPriorities(text, (line) => said.push(line));
    expect([Object.fromEntries(priorities), said]).toEqual([read, problems]);
  });
});
