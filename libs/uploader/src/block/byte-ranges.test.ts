import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ByteRange, gapsOf, joinRanges, lengthOf, overlapOf } from './byte-ranges.ts';
import { parseDomainLog } from './domain-log.ts';

const end = 200;
const range = fc.tuple(fc.nat(end), fc.nat(end)).map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) }));
const ranges = fc.array(range, { maxLength: 12 });
const covers = (all: readonly ByteRange[], at: number) => all.some((each) => each.start <= at && at < each.end);

it('overlapOf has the bytes that are in both lists, in order and apart', () => {
  fc.assert(
    fc.property(ranges, ranges, (some, others) => {
      const both = overlapOf(joinRanges(some), joinRanges(others));
      for (let at = 0; at < end; at++) expect(covers(both, at)).toBe(covers(some, at) && covers(others, at));
      expect(both).toEqual(joinRanges(both));
    }),
  );
});

describe('joinRanges and gapsOf', () => {
  it('divide every byte between them, in order and without overlap', () => {
    fc.assert(
      fc.property(ranges, (given) => {
        const joined = joinRanges(given);
        const gaps = gapsOf(joined, end);
        for (let at = 0; at < end; at++) {
          expect(covers(joined, at)).toBe(covers(given, at));
          expect(covers(gaps, at)).toBe(!covers(given, at));
        }
        expect(lengthOf(joined) + lengthOf(gaps)).toBe(end);
        for (const [index, each] of joined.entries()) {
          expect(each.start).toBeLessThan(each.end);
          expect(each.start).toBeGreaterThan(joined[index - 1]?.end ?? -1);
        }
      }),
    );
  });

  it('never lose a byte in a gap that is read as well', () => {
    fc.assert(
      fc.property(ranges, fc.integer({ min: 1, max: 50 }), (given, gapBytes) => {
        const joined = joinRanges(given, gapBytes);
        for (let at = 0; at < end; at++) if (covers(given, at)) expect(covers(joined, at)).toBe(true);
        for (const gap of gapsOf(joined, end).slice(1, -1))
          expect(gap.end - gap.start).toBeGreaterThanOrEqual(gapBytes);
      }),
    );
  });
});

const log = (...lines: string[]) =>
  `# Domain logfile\n# current_pos  current_status\n0x30     ?\n# pos\n${lines.join('\n')}\n`;

describe('parseDomainLog', () => {
  it('reads what is used, up to the end', () => {
    const text = log('0x00000000  0x00000010  +', '0x00000010  0x00000010  ?', '0x00000020  0x00000010  +');
    expect(parseDomainLog(text)).toEqual({
      used: [
        { start: 0, end: 16 },
        { start: 32, end: 48 },
      ],
      endBytes: 48,
    });
  });

  it.each([
    ['a gap', log('0x0  0x10  +', '0x20  0x10  +')],
    ['an overlap', log('0x0  0x10  +', '0x8  0x10  +')],
    ['an unknown status', log('0x0  0x10  *')],
    ['an empty range', log('0x0  0x0  +')],
    ['a beginning that is not the device’s', log('0x10  0x10  +')],
    ['a cut line', log('0x0  0x10  +', '0x10  0x1').trimEnd()],
    ['words', log('partclone fail')],
    ['a decimal number', log('0  16  +')],
  ])('rejects a log with %s', (_, text) => {
    expect(() => parseDomainLog(text)).toThrow(expect.objectContaining({ code: 'ALLOCATION_MAP_INVALID' }));
  });
});
