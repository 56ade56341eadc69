import { mergePatch, parseExact } from '@lateen/kube';
import { describe, expect, it } from 'vitest';
import { differingFields, isSame, mergeDifference } from './merge-difference.ts';

describe('isSame', () => {
  it.each<[a: string, b: string, same: boolean]>([
    ['{"a":1,"b":2}', '{"b":2,"a":1}', true],
    ['{"a":1}', '{"a":2}', false],
    ['{"a":1}', '{"a":"1"}', false],
    ['{"a":1}', '{"a":1.0}', false],
    ['{"a":1.0}', '{"a":1.0}', true],
    ['{"a":9007199254740993}', '{"a":9007199254740992}', false],
    ['{"a":9007199254740993}', '{"a":9007199254740993}', true],
    ['{"a":[1,2]}', '{"a":[2,1]}', false],
    ['{"a":[1,2]}', '{"a":[1]}', false],
    ['{"a":{}}', '{}', true],
    ['{"a":[]}', '{}', true],
    ['{"a":null}', '{}', true],
    ['{"a":""}', '{}', false],
    ['{"a":false}', '{}', false],
    ['{"a":0}', '{}', false],
    ['{"a":{"b":{}}}', '{"a":{"b":null}}', true],
    ['{"a":[1]}', '{"a":{"0":1}}', false],
    ['{"a":[{"b":1}]}', '{"a":[{"b":1,"c":[]}]}', true],
  ])('of %s and %s: %s', (a, b, same) => {
    expect(isSame(parseExact(a), parseExact(b))).toBe(same);
    expect(isSame(parseExact(b), parseExact(a))).toBe(same);
    expect(mergeDifference(parseExact(a), parseExact(b)) === undefined).toBe(same);
  });
});

describe('mergeDifference', () => {
  it.each<[from: string, to: string, patch: string, fields: string[]]>([
    ['{"a":1}', '{"a":2}', '{"a":2}', ['a']],
    ['{"a":1}', '{}', '{"a":null}', ['a']],
    ['{}', '{"a":{"b":1}}', '{"a":{"b":1}}', ['a.b']],
    ['{"a":{"b":1,"c":2}}', '{"a":{"b":3,"c":2}}', '{"a":{"b":3}}', ['a.b']],
    ['{"a":[1,2]}', '{"a":[1]}', '{"a":[1]}', ['a']],
    ['{"a":{"b":1}}', '{"a":"x"}', '{"a":"x"}', ['a']],
    ['{"a":1,"b":{"c":1}}', '{"a":1.0,"b":{"d":2}}', '{"a":1.0,"b":{"c":null,"d":2}}', ['a', 'b.c', 'b.d']],
  ])('from %s to %s', (from, to, patch, fields) => {
    const difference = mergeDifference(parseExact(from), parseExact(to)) ?? {};
    expect(JSON.stringify(difference)).toBe(patch);
    expect(isSame(mergePatch(parseExact(from), difference), parseExact(to))).toBe(true);
    expect(differingFields(difference)).toEqual(fields);
  });
});
