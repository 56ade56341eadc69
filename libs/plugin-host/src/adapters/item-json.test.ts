import { parseExact, stringify } from '@lateen/kube';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answeredItem, jsonBytes } from './item-json.ts';
import { keepUnchanged } from './keep-unchanged.ts';

const given = parseExact(
  '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"spec":{"long":9007199254740993,"ratio":1.0,"small":1e-7,"list":[1.50,{"z":1,"a":2}]}}',
) as Parameters<typeof answeredItem>[1];
const plugin = 'example.io/x';

describe('answeredItem', () => {
  it('is the original object when only number format and key order have changed', () => {
    const asGo =
      '{"spec":{"list":[1.5,{"a":2,"z":1}],"small":0.0000001,"ratio":1,"long":9007199254740993},"metadata":{"name":"a"},"kind":"ConfigMap","apiVersion":"v1"}';
    expect(answeredItem(Buffer.from(asGo), given, plugin)).toBe(given);
    expect(answeredItem(Buffer.alloc(0), given, plugin)).toBe(given);
  });

  it('keeps the format of unchanged values', () => {
    const changed =
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"new":"yes"}},"spec":{"ratio":1,"long":9007199254740993,"list":[1.5,{"a":3,"z":1}]}}';
    expect(stringify(answeredItem(Buffer.from(changed), given, plugin))).toBe(
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"new":"yes"}},"spec":{"long":9007199254740993,"ratio":1.0,"list":[1.50,{"z":1,"a":3}]}}',
    );
  });

  it('detects a long number that differs in its last digit', () => {
    const changed = jsonBytes(given).toString().replace('9007199254740993', '9007199254740992');
    expect(stringify(answeredItem(Buffer.from(changed), given, plugin))).toContain('9007199254740992');
  });

  it.each([
    ['not JSON', 'is not JSON'],
    ['[1]', 'is not an object'],
    ['null', 'is not an object'],
    ['{"kind":"Pod","metadata":{}}', 'has no apiVersion'],
    ['{"apiVersion":"v1","kind":7,"metadata":{}}', 'has no kind'],
    ['{"apiVersion":"v1","kind":"Pod","metadata":[]}', 'has no metadata'],
    [`${'['.repeat(300)}${']'.repeat(300)}`, 'is nested more than 200 levels deep'],
  ])('rejects %s', (text, wrong) => {
    expect(() => answeredItem(Buffer.from(text), given, plugin)).toThrow(
      expect.objectContaining({
        code: 'PLUGIN_BAD_ANSWER',
        message: `the item that plugin example.io/x answered ${wrong}`,
      }),
    );
  });
});

describe('keepUnchanged', () => {
  it('always equals the new value, and is the old object when both are equal', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => {
        expect(keepUnchanged(before, after)).toEqual(after);
        expect(keepUnchanged(before, JSON.parse(JSON.stringify(before)))).toBe(before);
      }),
    );
  });

  it('uses only own keys of the objects', () => {
    const after = JSON.parse('{"__proto__":{"a":1},"constructor":"x"}');
    expect(JSON.stringify(keepUnchanged({}, after))).toBe('{"__proto__":{"a":1},"constructor":"x"}');
  });
});
