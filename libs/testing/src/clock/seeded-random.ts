import { type Random, suffixAlphabet } from '@lateen/kernel';

/** The same seed yields the same sequence, on every machine (mulberry32). */
export function seededRandom(seed = 1): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const pick = (from: string): string => from.charAt(Math.floor(next() * from.length));
  return {
    next,
    uuid: () =>
      'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (place) =>
        pick(place === 'x' ? '0123456789abcdef' : '89ab'),
      ),
    suffix: (length) => Array.from({ length }, () => pick(suffixAlphabet)).join(''),
  };
}
