import { seededRandom } from '@lateen/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chunksToVerify,
  isVerified,
  readVerifySettings,
  verificationOf,
  verifySettingsDefault,
} from './decide-verification.ts';

describe('isVerified', () => {
  it('checks each nth increment', () => {
    const settings = { every: 3, sharePercent: 2 };
    expect([0, 1, 2, 3].map((since) => isVerified(settings, since))).toEqual([false, false, true, true]);
  });

  it.each([
    ['no increment is to be checked', { every: 0, sharePercent: 2 }],
    ['no chunk is to be read', { every: 1, sharePercent: 0 }],
  ])('checks none when %s', (_, settings) => expect(isVerified(settings, 100)).toBe(false));
});

describe('chunksToVerify', () => {
  const runs = fc.uniqueArray(fc.nat(400), { maxLength: 20 }).map((cuts) => {
    const sorted = cuts.toSorted((a, b) => a - b);
    return sorted
      .flatMap((first, at) =>
        at % 2 === 0 && sorted[at + 1] !== undefined ? [{ first, end: sorted[at + 1] ?? 0 }] : [],
      )
      .filter(({ first, end }) => end > first);
  });

  it('takes exactly the share, rounded up, in order, of the unchanged chunks alone', () => {
    fc.assert(
      fc.property(runs, fc.nat(100), fc.nat(), (unchanged, sharePercent, seed) => {
        const all = unchanged.flatMap(({ first, end }) => Array.from({ length: end - first }, (_, at) => first + at));
        const taken = [...chunksToVerify(unchanged, { sharePercent }, seededRandom(seed))];
        expect(taken).toHaveLength(Math.ceil((all.length * sharePercent) / 100));
        expect(taken).toEqual(taken.toSorted((a, b) => a - b));
        expect(new Set(taken).size).toBe(taken.length);
        expect(taken.filter((chunk) => !all.includes(chunk))).toEqual([]);
      }),
    );
  });

  it('reaches every chunk sooner or later', () => {
    const random = seededRandom(3);
    const seen = new Set<number>();
    for (let check = 0; check < 200; check++)
      for (const chunk of chunksToVerify([{ first: 5, end: 25 }], { sharePercent: 10 }, random)) seen.add(chunk);
    expect(seen.size).toBe(20);
  });
});

describe('verificationOf', () => {
  const changed = [
    { offset: 5, length: 1 },
    { offset: 19, length: 12 },
  ];
  const volume = { changed, sizeBytes: 65, chunkBytes: 10 };

  it('takes its share of the chunks that no range touches, when it is due', () => {
    const chosen = verificationOf({ every: 2, sharePercent: 100 }, volume, seededRandom(1));
    expect([...chosen(0)]).toEqual([]);
    expect([...chosen(1)]).toEqual([4, 5, 6]);
  });
});

describe('readVerifySettings', () => {
  it.each([
    [null, verifySettingsDefault],
    [
      { VerifyEvery: '1', VerifySharePercent: '100' },
      { every: 1, sharePercent: 100 },
    ],
    [{ VerifyEvery: '0' }, { every: 0, sharePercent: verifySettingsDefault.sharePercent }],
  ])('%j: %j', (config, settings) => expect(readVerifySettings(config)).toEqual(settings));

  it.each([
    ['VerifyEvery', '-1'],
    ['VerifyEvery', ''],
    ['VerifyEvery', '7 times'],
    ['VerifySharePercent', '101'],
    ['VerifySharePercent', '2%'],
  ])('refuses %s %j, and names it', (key, text) => {
    expect(() => readVerifySettings({ [key]: text })).toThrow(
      expect.objectContaining({ code: 'MOVER_CONFIG_INVALID', message: expect.stringContaining(key) }),
    );
  });
});
