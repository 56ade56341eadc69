import { describe, expect, it } from 'vitest';
import { durationText, parseDurationMs } from './go-duration.ts';

describe('parseDurationMs', () => {
  it.each([
    ['10m0s', 600_000],
    ['1h30m', 5_400_000],
    ['1.5s', 1500],
    ['.5s', 500],
    ['0', 0],
    ['0s', 0],
    ['-2m', -120_000],
    ['250ms', 250],
    ['3us', 0.003],
  ])('parses %s as %d ms', (text, ms) => expect(parseDurationMs(text)).toBeCloseTo(ms));

  it.each(['', '10', '5 m', '1d', 's', 'm5', '1h-3m', '1,5s'])('rejects %j', (text) =>
    expect(parseDurationMs(text)).toBeUndefined(),
  );
});

describe('durationText', () => {
  it.each([
    [0, '0s'],
    [500, '500ms'],
    [1500, '1.5s'],
    [30_000, '30s'],
    [90_000, '1m30s'],
    [600_000, '10m0s'],
    [7_200_000, '2h0m0s'],
    [-2_000, '-2s'],
  ])('writes %d ms as %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
    expect(parseDurationMs(text)).toBeCloseTo(ms);
  });
});
