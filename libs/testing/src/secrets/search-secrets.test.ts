import { describe, expect, it } from 'vitest';
import { secretSearch } from './search-secrets.ts';
import { secretForms, secretLengthMin } from './secret-forms.ts';

const value = `q7m2x9d4t6w1z3k8"\\<&%+/' é=r5b0v2n7j4h6g1f9`;
const search = secretSearch([
  { name: 'key', value },
  { name: 'other', value: 'never-seen-0123456789-abcdefghij' },
]);
const namesIn = (text: string) => new Set(search.inText(text).map(({ secret }) => secret));

const written: [form: string, text: string][] = [
  ['plain', value],
  ['among other words', `error: key=${value}, and more`],
  ['base64', Buffer.from(value).toString('base64')],
  ['base64 of a file one byte before it', Buffer.from(`=${value}\n`).toString('base64')],
  ['base64 of a file two bytes before it', Buffer.from(`y=${value}\n`).toString('base64')],
  ['base64url', Buffer.from(`a file, secret=${value}\n`).toString('base64url')],
  ['hex', Buffer.from(value).toString('hex')],
  ['hex in capitals', Buffer.from(value).toString('hex').toUpperCase()],
  ['a URL’s parameter', `https://host/?k=${encodeURIComponent(value)}`],
  ['a form', new URLSearchParams({ key: value }).toString()],
  ['an address', new URL(`https://host/${value}/`).href],
  ['a URL with small hex digits', encodeURIComponent(value).replaceAll(/%../g, (each) => each.toLowerCase())],
  ['JSON', JSON.stringify({ key: value })],
  ['JSON in a line of JSON', JSON.stringify({ msg: JSON.stringify({ key: value }) })],
  ['JSON of Go', JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('&', '\\u0026')],
  ['JSON in ASCII', JSON.stringify(value).replaceAll('é', '\\u00e9')],
  [
    'an answer in XML',
    value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll("'", '&apos;'),
  ],
  ['a word for the shell', `'${value.replaceAll("'", `'\\''`)}'`],
  ['YAML', `key: '${value.replaceAll("'", "''")}'`],
  ['a text that was cut off', `said: ${value.slice(0, -10)}…`],
  ['a text whose beginning is missing', value.slice(10)],
];

describe('a secret in bytes', () => {
  it.each(written)('is found as %s', (_, text) => {
    expect(namesIn(text)).toEqual(new Set(['key']));
  });

  it('is found in both of its halves, with the position of each, and the report contains nothing of it', () => {
    const hits = search.inText(`0123${value}`);
    expect(hits).toEqual([
      { secret: 'key', form: 'the plain text of its first half', offset: 4 },
      { secret: 'key', form: 'the plain text of its last half', offset: 4 + Buffer.byteLength(value.slice(0, 22)) },
    ]);
  });

  it.each([1, 2, 7, 100])('is found in chunks of %d bytes', async (size) => {
    const bytes = Buffer.from(`${'x'.repeat(333)}${value}${'y'.repeat(50)}`);
    async function* pieces() {
      const buffer = Buffer.alloc(size);
      for (let at = 0; at < bytes.length; at += size)
        yield buffer.subarray(0, bytes.copy(buffer, 0, at, Math.min(at + size, bytes.length)));
    }
    expect(await search.inChunks(pieces())).toEqual(search.inBytes(bytes));
    expect(search.inBytes(bytes)[0]?.offset).toBe(333);
  });

  it('is not found in less than a half, in another secret, or in nothing', () => {
    expect(namesIn(value.slice(0, 15))).toEqual(new Set());
    expect(namesIn(value.toUpperCase())).toEqual(new Set());
    expect(namesIn('')).toEqual(new Set());
    expect(secretSearch([]).inText(value)).toEqual([]);
  });

  it('must be long enough that its halves are not found by chance', () => {
    expect(() => secretForms('x'.repeat(secretLengthMin - 1))).toThrow(RangeError);
  });
});
