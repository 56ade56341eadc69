import { isAppError } from '@lateen/errors';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseLink, parseRange } from './link-subnet.ts';

describe('the link between host and cluster', () => {
  it('is always the same for the same cluster', () => {
    expect(chooseLink('00000003', [])).toEqual({
      hostAddress: '198.18.0.13',
      clusterAddress: '198.18.0.14',
      prefixLength: 30,
    });
  });

  it.each([
    { used: ['198.18.0.12/30'], first: '198.18.0.17' },
    { used: ['198.18.0.14'], first: '198.18.0.17' },
    { used: ['198.18.0.0/24'], first: '198.18.1.1' },
    { used: ['198.18.0.16/30', 'default', '0.0.0.0/0', 'fd00::/64'], first: '198.18.0.13' },
  ])('does not overlap $used', ({ used, first }) => {
    expect(chooseLink('00000003', used).hostAddress).toBe(first);
  });

  it('is rejected when the host routes the whole pool elsewhere', () => {
    expect(() => chooseLink('00000003', ['198.16.0.0/12'])).toThrow(
      expect.toSatisfy((error) => isAppError(error, 'SUBNET_TAKEN')),
    );
  });

  it('never overlaps what the host uses, whatever that is', () => {
    const range = fc.record({ third: fc.nat(255), fourth: fc.nat(255), length: fc.integer({ min: 17, max: 32 }) });
    fc.assert(
      fc.property(fc.nat(2 ** 32 - 1), fc.array(range, { maxLength: 20 }), (id, ranges) => {
        const used = ranges.map(({ third, fourth, length }) => `198.18.${third}.${fourth}/${length}`);
        const { hostAddress } = chooseLink(id.toString(16).padStart(8, '0'), used);
        const mine = parseRange(`${hostAddress}/30`);
        for (const text of used) {
          const other = parseRange(text);
          expect(mine && other && mine.start <= other.end && other.start <= mine.end).toBe(false);
        }
      }),
    );
  });
});
