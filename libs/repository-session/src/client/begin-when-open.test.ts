import { AppError } from '@lateen/errors';
import { FakeClock, seededRandom } from '@lateen/testing';
import { expect, it, vi } from 'vitest';
import { beginWhenOpen } from './begin-when-open.ts';
import { notOpenCode } from './session-errors.ts';
import { sessionLimits } from './session-limits.ts';

const notOpen = () => new AppError(notOpenCode, 'the repository server has not opened the repository');

/** A repository that opens after this time; the other run of the program fails with `failure`. */
function opening(clock: FakeClock, openAtMs: number, failure?: Error) {
  const begin = vi.fn(async () => {
    if (clock.monotonicMs() < openAtMs) throw notOpen();
    return 'session';
  });
  const check = vi.fn(async () => {
    if (failure !== undefined) throw failure;
  });
  return { begin, check, clock, random: seededRandom(1), where: 's3:backups/shop' };
}
const never = () => new AbortController().signal;

it('begins as soon as the repository is open, without another run of the program', async () => {
  const clock = new FakeClock();
  const repository = opening(clock, clock.monotonicMs() + 100);
  const session = beginWhenOpen(repository, never());
  await clock.advance(130);
  expect(await session).toBe('session');
  await clock.advance(10_000);
  expect(repository.check).not.toHaveBeenCalled();
});

it('waits for a slow store when another run can open the repository', async () => {
  const clock = new FakeClock();
  const repository = opening(clock, clock.monotonicMs() + 20_000);
  const session = beginWhenOpen(repository, never());
  await clock.advance(21_000);
  expect(await session).toBe('session');
  expect(repository.check).toHaveBeenCalledTimes(1);
});

it('fails early with the reason that another run reports', async () => {
  const clock = new FakeClock();
  const wrong = new AppError('REPOSITORY_PASSWORD_WRONG', 'the password of the repository is wrong');
  const session = beginWhenOpen(opening(clock, Number.POSITIVE_INFINITY, wrong), never());
  const failed = expect(session).rejects.toBe(wrong);
  await clock.advance(2_000);
  await failed;
});

it('gives up a repository that is not open after two minutes', async () => {
  const clock = new FakeClock();
  const session = beginWhenOpen(opening(clock, Number.POSITIVE_INFINITY), never());
  const failed = expect(session).rejects.toMatchObject({ code: 'REPOSITORY_SERVER_SLOW' });
  await clock.advance(sessionLimits.repositoryMs + 1_000);
  await failed;
});

it('ends with the signal, and does not retry other errors', async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  const session = beginWhenOpen(opening(clock, Number.POSITIVE_INFINITY), stop.signal);
  const failed = expect(session).rejects.toThrow('told to stop');
  await clock.advance(50);
  stop.abort(new Error('told to stop'));
  await failed;
  const lost = { ...opening(clock, 0), begin: vi.fn(() => Promise.reject(new Error('another one'))) };
  await expect(beginWhenOpen(lost, never())).rejects.toThrow('another one');
  expect(lost.begin).toHaveBeenCalledTimes(1);
});
