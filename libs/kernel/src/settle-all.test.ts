import { expect, it } from 'vitest';
import { settleAll } from './settle-all.ts';

it('returns the results in order', async () => {
  await expect(settleAll([Promise.resolve(1), Promise.resolve('two')])).resolves.toEqual([1, 'two']);
});

it('rejects with the first failure after all others have ended', async () => {
  const slow = Promise.withResolvers<void>();
  let isOver = false;
  const all = settleAll([slow.promise, Promise.reject(new Error('first')), Promise.reject(new Error('second'))]);
  const watched = all.catch((error: unknown) => {
    isOver = true;
    throw error;
  });
  watched.catch(() => {});
  await Promise.resolve();
  expect(isOver).toBe(false);
  slow.resolve();
  await expect(watched).rejects.toThrow('first');
});
