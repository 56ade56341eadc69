import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExact, stringify } from './exact-json.ts';

describe('parseExact', () => {
  it.each([
    '9007199254740993',
    '-9223372036854775808',
    '18446744073709551615',
    '1.0',
    '1.10',
    '-0',
    '-0.0',
    '1e3',
    '1E+3',
    '1e400',
    '0.1',
    '1.5e-7',
    '123456789012345678901234567890.123456789',
  ])('keeps %s at any position', (number) => {
    for (const text of [number, `[${number}]`, `{"a":${number}}`, `{"a":[1,${number},{"b":${number}}]}`]) {
      expect(stringify(parseExact(text))).toBe(text);
      expect(stringify(parseExact(text.replaceAll(number, ` ${number} `)))).toBe(text);
    }
  });

  it('leaves ordinary numbers numbers', () => {
    expect(parseExact('{"a":[1,0.5,-3,9007199254740993]}')).toMatchObject({ a: [1, 0.5, -3, expect.anything()] });
  });

  it('does not change text inside strings', () => {
    const text = '{"image":"repo:1.0","version":"v9007199254740993.0","time":"10:00:00.000000Z","quote":"\\",1.0"}';
    expect(parseExact(text)).toEqual(JSON.parse(text));
  });

  it('writes text as Go does, because some API fields are compared byte for byte', () => {
    const written = '{"a":"\\u003cb\\u003e \\u0026\\u0026 \\u2028\\u2029 \\\\ ü","n":1.0}';
    expect(stringify(parseExact(written))).toBe(written);
    expect(stringify({ '<': [1] }, 2)).toBe('{\n  "\\u003c": [\n    1\n  ]\n}');
  });

  it('returns any JSON unchanged', () => {
    const number = fc.stringMatching(/^-?(0|[1-9]\d{0,24})(\.\d{1,12})?([eE][+-]?\d{1,3})?$/);
    const { tree } = fc.letrec<{ tree: string }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        number,
        fc.string({ unit: 'binary' }).map((text) => stringify(text)),
        fc.constantFrom('null', 'true', 'false'),
        fc.array(tie('tree'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
        fc
          .uniqueArray(fc.tuple(fc.stringMatching(/^[a-zA-Z_]{1,6}$/), tie('tree')), {
            maxLength: 4,
            selector: ([name]) => name,
          })
          .map((pairs) => `{${pairs.map(([name, value]) => `"${name}":${value}`).join(',')}}`),
      ),
    }));
    fc.assert(
      fc.property(tree, (text) => stringify(parseExact(text)) === text),
      { numRuns: 2_000, seed: 7 },
    );
  });
});
