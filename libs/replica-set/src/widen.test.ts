import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Piece, wholeUnits, widened } from './widen.ts';

const unit = 8;
const sizes = fc.constantFrom(64, 61);

describe('widened', () => {
  it('covers whole units, keeps zeros of whole units as zeros, and changes only the bytes of the change', async () => {
    await fc.assert(
      fc.asyncProperty(
        sizes,
        fc.nat(60),
        fc.integer({ min: 1, max: 30 }),
        fc.boolean(),
        async (size, at, most, isZero) => {
          const length = Math.min(most, size - at);
          const area = { start: at, end: at + length };
          const content = Uint8Array.from({ length: size }, (_, i) => i + 1);
          const whole = wholeUnits(area, unit, size);
          const change: Piece = isZero ? { at, zeros: length } : { at, data: [new Uint8Array(length).fill(255)] };
          const reads: number[] = [];
          const pieces = await widened(
            change,
            area,
            whole,
            async (from, count) => {
              reads.push(count);
              return [content.slice(from, from + count)];
            },
            unit,
          );
          const got = content.slice();
          let next = whole.start;
          for (const piece of pieces) {
            expect([piece.at % unit, piece.at]).toEqual([0, next]);
            const bytes = 'data' in piece ? Buffer.concat(piece.data) : new Uint8Array(piece.zeros);
            got.set(bytes, piece.at);
            next += bytes.length;
          }
          expect(next).toBe(whole.end);
          expect(next % unit === 0 || next === size).toBe(true);
          const wanted = content.slice();
          wanted.fill(isZero ? 0 : 255, area.start, area.end);
          expect(got).toEqual(wanted);
          expect(reads.every((count) => count > 0 && count < unit)).toBe(true);
          const written = pieces.reduce((sum, piece) => sum + ('data' in piece ? 1 : 0), 0);
          if (isZero && reads.length === 0) expect(written).toBe(0);
        },
      ),
      { numRuns: 500 },
    );
  });
});
