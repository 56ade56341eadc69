import { expect, it } from 'vitest';
import { RateWindow } from './rate-window.ts';

const rateOf = (...samples: [atMs: number, value: number][]) => {
  const rate = new RateWindow();
  for (const [atMs, value] of samples) rate.see(atMs, value);
  return rate.perSecond();
};

it.each<[string, [number, number][], number | undefined]>([
  ['no samples', [], undefined],
  ['one sample', [[0, 5]], undefined],
  [
    'samples within a second',
    [
      [0, 5],
      [999, 900],
    ],
    undefined,
  ],
  [
    'two samples at the same time',
    [
      [0, 5],
      [0, 9],
    ],
    undefined,
  ],
  [
    'steady',
    [
      [0, 0],
      [1_000, 100],
      [2_000, 200],
    ],
    100,
  ],
  [
    'no progress',
    [
      [0, 7],
      [2_000, 7],
    ],
    undefined,
  ],
  [
    'old samples are ignored',
    [
      [0, 0],
      [1_000, 10_000],
      [11_000, 10_100],
      [12_000, 10_200],
    ],
    200 / 11,
  ],
  [
    'starts over after a reset',
    [
      [0, 500],
      [1_000, 10],
      [2_000, 30],
    ],
    20,
  ],
])('%s', (_, samples, expected) => {
  const rate = rateOf(...samples);
  if (expected === undefined) expect(rate).toBeUndefined();
  else expect(rate).toBeCloseTo(expected, 6);
});

it('keeps a limited number of samples', () => {
  const rate = new RateWindow();
  for (let at = 0; at < 100_000; at++) rate.see(at / 50, at);
  expect(rate.perSecond()).toBeCloseTo(50_000, 0);
});
