import fc from 'fast-check';
import { expect, it } from 'vitest';
import { splitLines } from './lines.ts';

async function linesOf(
  chunks: readonly Uint8Array[],
  bytesMax = 1_000,
): Promise<{ text: string; terminated: boolean }[]> {
  async function* source() {
    yield* chunks;
  }
  const lines: { text: string; terminated: boolean }[] = [];
  for await (const line of splitLines(source(), { bytesMax, tooLong: () => new Error('too long') })) lines.push(line);
  return lines;
}

it('returns the same lines for any chunk boundaries', async () => {
  const cut = fc.tuple(fc.array(fc.string({ unit: 'grapheme', maxLength: 12 })), fc.boolean(), fc.array(fc.nat(40)));
  await fc.assert(
    fc.asyncProperty(cut, async ([parts, terminated, sizes]) => {
      const texts = parts.map((part) => part.replace(/[\r\n]/g, '_'));
      const bytes = Buffer.from(texts.join('\n') + (terminated ? '\n' : ''));
      const chunks: Uint8Array[] = [];
      for (let at = 0, n = 0; at < bytes.length; n++) {
        const size = (sizes[n % Math.max(sizes.length, 1)] ?? 7) + 1;
        chunks.push(bytes.subarray(at, at + size));
        at += size;
      }
      const expected = bytes.toString().split('\n');
      const last = expected.pop() ?? '';
      const wanted = expected.map((text) => ({ text, terminated: true }));
      expect(await linesOf(chunks)).toEqual(last === '' ? wanted : [...wanted, { text: last, terminated: false }]);
    }),
    { numRuns: 300, seed: 3 },
  );
});

it('drops the carriage return of a line end', async () => {
  expect(await linesOf([Buffer.from('a\r'), Buffer.from('\nb\rc\n')])).toEqual([
    { text: 'a', terminated: true },
    { text: 'b\rc', terminated: true },
  ]);
});

it.each([
  ['in one chunk', ['x'.repeat(11), '\n']],
  ['across chunks, before its end arrives', ['x'.repeat(6), 'x'.repeat(6)]],
  ['that ends in a later chunk', ['x'.repeat(10), 'x\n']],
])('rejects a line over the limit %s', async (_how, chunks) => {
  await expect(
    linesOf(
      chunks.map((chunk) => Buffer.from(chunk)),
      10,
    ),
  ).rejects.toThrow('too long');
});

it('accepts a line of exactly the limit', async () => {
  expect(await linesOf([Buffer.from(`${'x'.repeat(10)}\n`)], 10)).toHaveLength(1);
});
