import { expect, it } from 'vitest';
import { age } from './age.ts';

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];

it.each([
  [0, '0s'],
  [-5 * second, '0s'],
  [119 * second, '119s'],
  [2 * minute, '2m'],
  [200 * second, '3m20s'],
  [179 * minute, '179m'],
  [3 * hour, '3h'],
  [200 * minute, '3h20m'],
  [47 * hour, '47h'],
  [2 * day, '2d'],
  [3 * day + 4 * hour, '3d4h'],
  [29.9 * day, '29d'],
  [729 * day, '729d'],
  [830 * day, '2y100d'],
  [10 * 365 * day, '10y'],
])('shows %d ms as %s', (ms, text) => expect(age(ms)).toBe(text));
