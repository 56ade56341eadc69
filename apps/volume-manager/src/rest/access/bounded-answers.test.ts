import { FakeClock } from '@lateen/testing';
import { expect, it } from 'vitest';
import { bearerToken } from './bearer-token.ts';
import { BoundedAnswers } from './bounded-answers.ts';

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

it.each([
  ['Bearer abc', 'abc'],
  ['bearer  abc', 'abc'],
  [basic('user:abc:d'), 'abc:d'],
  [basic(':'), undefined],
  [basic('abc'), undefined],
  ['Bearer', undefined],
  ['Bearer a b', undefined],
  [`Bearer ${'x'.repeat(16 * 1024 + 1)}`, undefined],
  ['Digest abc', undefined],
  [undefined, undefined],
])('the token of %s is %s', (header, token) => expect(bearerToken(header)).toBe(token));

it('caches answers for their time, asks once for parallel requests, and caches no error', async () => {
  const clock = new FakeClock();
  const answers = new BoundedAnswers<number>(clock, 2);
  let asked = 0;
  const ask = async () => ++asked;
  const keep = () => 1_000;
  expect(await Promise.all([answers.get('a', ask, keep), answers.get('a', ask, keep)])).toEqual([1, 1]);
  await clock.advance(999);
  expect(await answers.get('a', ask, keep)).toBe(1);
  await clock.advance(1);
  expect(await answers.get('a', ask, keep)).toBe(2);
  const failing = async () => Promise.reject(new Error('away'));
  await expect(answers.get('b', failing, keep)).rejects.toThrow('away');
  expect(await answers.get('b', ask, keep)).toBe(3);
  expect(await answers.get('c', ask, keep)).toBe(4);
  // `a` was the oldest of three.
  expect(await answers.get('a', ask, keep)).toBe(5);
});
