import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withFileLock } from './file-lock.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lateen-lock-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const lockFile = () => join(folder, 'a.lock');

it('admits one after the other, and tells the second that it waits', async () => {
  const events: string[] = [];
  const waits = Promise.withResolvers<void>();
  let second: Promise<void> | undefined;
  await withFileLock(lockFile(), {}, async () => {
    events.push('first in');
    second = withFileLock(lockFile(), { onWait: waits.resolve }, async () => {
      events.push('second in');
    });
    await waits.promise;
    events.push('first out');
  });
  await second;
  expect(events).toEqual(['first in', 'first out', 'second in']);
});

it('is released after the action failed', async () => {
  await expect(withFileLock(lockFile(), {}, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await withFileLock(lockFile(), {}, async () => 'in')).toBe('in');
});

it('stops waiting when the signal aborts', async () => {
  const stop = new AbortController();
  await withFileLock(lockFile(), {}, async () => {
    const waiting = withFileLock(
      lockFile(),
      { signal: stop.signal, onWait: () => stop.abort(new Error('enough')) },
      async () => {},
    );
    await expect(waiting).rejects.toThrow('enough');
  });
});

it('ignores a lock on a file that its holder has removed', async () => {
  const events: string[] = [];
  const waiting = Promise.withResolvers<void>();
  const late = async (name: string): Promise<void> => {
    events.push(`${name} in`);
    await new Promise((resolve) => setImmediate(resolve));
    events.push(`${name} out`);
  };
  let second: Promise<void> | undefined;
  await withFileLock(lockFile(), {}, async () => {
    second = withFileLock(lockFile(), { onWait: waiting.resolve }, () => late('second'));
    await waiting.promise;
    await rm(lockFile());
  });
  await Promise.all([second, withFileLock(lockFile(), {}, () => late('third'))]);
  // Whichever was first, the other one entered only after it had left.
  expect(events.map((event) => event.split(' ')[1])).toEqual(['in', 'out', 'in', 'out']);
});
