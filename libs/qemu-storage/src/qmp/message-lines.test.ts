import { isAppError } from '@lateen/errors';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MessageLines } from './message-lines.ts';

it('returns the same lines for any chunk boundaries', () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/\s/g, '_'));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(20)), (texts, cuts) => {
      const bytes = Buffer.from(texts.map((text) => `${text}\r\n`).join(''));
      const lines = new MessageLines(1_000_000);
      const seen: string[] = [];
      let at = 0;
      for (const cut of cuts) {
        seen.push(...lines.push(bytes.subarray(at, at + cut)));
        at += cut;
      }
      seen.push(...lines.push(bytes.subarray(at)));
      expect(seen).toEqual(texts.filter((text) => text !== ''));
    }),
  );
});

it('buffers no line longer than its limit', () => {
  const lines = new MessageLines(10);
  expect(lines.push(Buffer.from('1234567890\n12345'))).toEqual(['1234567890']);
  expect(() => lines.push(Buffer.from('678901'))).toThrow(
    expect.toSatisfy((error) => isAppError(error, 'QMP_PROTOCOL')),
  );
});
