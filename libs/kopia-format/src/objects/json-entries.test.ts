import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonEntry } from './entry-scan.ts';
import { jsonEntries } from './json-entries.ts';

const read = async (pieces: Uint8Array[]): Promise<JsonEntry[]> => {
  const entries: JsonEntry[] = [];
  for await (const group of jsonEntries('kopia:directory', pieces)) entries.push(...group);
  return entries;
};
const cutAt = (bytes: Uint8Array, cuts: readonly number[]) => {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, at) => bytes.subarray(places[at], end));
};
const text = (value: unknown) => Buffer.from(`${JSON.stringify(value)}\n`);
const folder = (entries: unknown) => ({ stream: 'kopia:directory', entries, summary: { files: 1, errors: ['}],"'] } });
/** Names with all characters that JSON escapes or that look like JSON syntax. */
const anyEntry = fc.record({
  name: fc.string({ unit: fc.constantFrom('a', '"', '\\', '{', '}', '[', ']', ',', 'é', '\u2028', '😀', '\n') }),
  summ: fc.record({ size: fc.nat(), of: fc.array(fc.string()) }),
});

describe('entries of a list in chunks', () => {
  it('are those that were written, for any chunk boundaries', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyEntry, { maxLength: 20 }), fc.array(fc.nat()), async (entries, cuts) => {
        expect(await read(cutAt(text(folder(entries)), cuts))).toEqual(entries);
      }),
    );
  });

  it('are none for null, which Go writes for an empty list', async () => {
    for (let cut = 0; cut < 50; cut++) expect(await read(cutAt(text(folder(null)), [cut]))).toEqual([]);
  });

  it('are rejected when the list is truncated anywhere', async () => {
    const whole = text(folder([{ name: 'a' }, { name: 'b', summ: { size: 1 } }]));
    // Only the line end may be missing.
    for (let length = 0; length < whole.length - 1; length++)
      await expect(read([whole.subarray(0, length)]), `${length}`).rejects.toMatchObject({ code: 'SNAPSHOT_CORRUPT' });
  });

  it('are valid JSON or rejected, for any bytes', async () => {
    const base = text(folder([{ name: 'a', size: 5 }, { name: 'b' }]));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat()),
        async (changes, cuts) => {
          const bytes = Buffer.from(base);
          for (const [at, value] of changes) bytes[at % bytes.length] = value;
          const ours = await read(cutAt(bytes, cuts)).catch((error: { code?: string }) => error.code);
          if (Array.isArray(ours))
            expect(ours).toEqual((JSON.parse(bytes.toString()) as { entries: unknown }).entries ?? []);
          else expect(ours).toBe('SNAPSHOT_CORRUPT');
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each([
    '{"stream":"kopia:indirect","entries":[]}',
    '{"stream":"kopia:directory","entries":{}}',
    '{"stream":"kopia:directory","entries":[1]}',
    '{"stream":"kopia:directory","entries":[{}{}]}',
    '{"stream":"kopia:directory","entries":[{},]}',
    '{"stream":"kopia:directory","entries":[,{}]}',
    '{"stream":"kopia:directory","entries":[{}]}}',
    '[]',
    '',
  ])('are rejected for %j', async (other) => {
    await expect(read([Buffer.from(other)])).rejects.toMatchObject({ code: 'SNAPSHOT_CORRUPT' });
  });

  it('are never buffered without a limit', async () => {
    const endless = function* () {
      yield Buffer.from('{"stream":"kopia:directory","entries":[{"name":"');
      for (let at = 0; at < 100; at++) yield Buffer.alloc(4096, 'a');
    };
    const groups = jsonEntries('kopia:directory', endless());
    await expect(groups.next()).rejects.toMatchObject({ message: expect.stringContaining('too long') });
  });
});
