import { fenceLimits } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import { kubeError } from '@lateen/kube';
import { FakeClock, letWorkRun, recordingLog, seededRandom } from '@lateen/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { attemptFence } from './attempt-fence.ts';

const { askEveryMs, confirmedForMs, engineStopMs, askTimeoutMs } = fenceLimits;
const away = () => Promise.reject(kubeError('KUBE_UNAVAILABLE', 'connect ETIMEDOUT'));
const silent = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
const open: AbortController[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.abort(new Error('the test is over'));
});

/** A fence whose API server answers with `answer`. */
function fenced(answer: (signal: AbortSignal) => Promise<void>) {
  const clock = new FakeClock();
  const over = new AbortController();
  open.push(over);
  const server = { answer, asked: 0 };
  const ask = (signal: AbortSignal) => {
    server.asked += 1;
    return server.answer(signal);
  };
  const log = recordingLog();
  const fence = attemptFence({ clock, random: seededRandom(3), log, ask }, over.signal);
  let overdue: unknown;
  fence.overdue.catch((error: unknown) => (overdue = error));
  return { clock, server, fence, over, log, overdue: () => overdue };
}
const good = async () => {};
const { signal: never } = new AbortController();

describe('the attempt fence', () => {
  it('holds as long as the API server confirms, with four to five requests a minute', async () => {
    const { clock, server, fence } = fenced(good);
    await fence.confirmed(never);
    await clock.advance(3_600_000);
    expect(fence.lost.aborted).toBe(false);
    expect(server.asked).toBeGreaterThan(3_600_000 / askEveryMs - 1);
    expect(server.asked).toBeLessThan(3_600_000 / askEveryMs / 0.7);
  });

  it.each([
    ['refuses connections', away],
    ['does not answer on a dead connection', silent],
  ])('falls when the API server %s, and not before its time', async (_, broken) => {
    const { clock, server, fence, overdue } = fenced(good);
    await fence.confirmed(never);
    server.answer = broken;
    await clock.advance(confirmedForMs - askEveryMs);
    expect(fence.lost.aborted).toBe(false);
    await clock.advance(askEveryMs);
    expect(fence.lost.reason).toMatchObject({ code: 'DATA_PATH_UNCONFIRMED' });
    expect(overdue()).toBeUndefined();
    await clock.advance(engineStopMs);
    expect(overdue()).toMatchObject({ code: 'DATA_PATH_OVERDUE' });
  });

  it('reports why no confirmation arrived', async () => {
    const { clock, server, fence } = fenced(good);
    await fence.confirmed(never);
    server.answer = away;
    await clock.advance(confirmedForMs);
    expect(fence.lost.reason).toHaveProperty(
      'message',
      'the API server has not confirmed for 2m0s that this attempt continues: connect ETIMEDOUT',
    );
  });

  it('survives a shorter outage of the API server', async () => {
    const { clock, server, fence } = fenced(good);
    await fence.confirmed(never);
    for (let restart = 0; restart < 10; restart++) {
      server.answer = away;
      await clock.advance(confirmedForMs - 2 * askEveryMs);
      server.answer = good;
      await clock.advance(askEveryMs);
    }
    expect(fence.lost.aborted).toBe(false);
  });

  it('counts from the request, not from a late response', async () => {
    const { clock, server, fence } = fenced(good);
    await fence.confirmed(never);
    const slowMs = askTimeoutMs - 1;
    server.answer = (signal) => clock.sleep(slowMs, signal);
    // Until the first slow response arrives; the next request is sent at most `askEveryMs` from now.
    await clock.advance(askEveryMs + slowMs);
    server.answer = away;
    await clock.advance(confirmedForMs - slowMs);
    expect(fence.lost.aborted).toBe(true);
  });

  it.each(['DATA_PATH_ENDED', 'DATA_PATH_NOT_OURS', 'DATA_PATH_GONE'])(
    'falls at once when the API server answers %s, and gives the engine its remaining time',
    async (code) => {
      const { clock, server, fence, overdue } = fenced(good);
      await fence.confirmed(never);
      server.answer = () => Promise.reject(new AppError(code, 'the attempt is over'));
      await clock.advance(askEveryMs);
      expect(fence.lost.reason).toMatchObject({ code });
      const { asked } = server;
      await clock.advance(confirmedForMs + engineStopMs);
      expect(server.asked).toBe(asked);
      expect(overdue()).toMatchObject({ code: 'DATA_PATH_OVERDUE' });
    },
  );

  it('blocks the start until the first confirmation', async () => {
    const { clock, server, fence } = fenced(away);
    let begun = false;
    void fence.confirmed(never).then(() => {
      begun = true;
    });
    await clock.advance(10 * confirmedForMs);
    expect([begun, fence.lost.aborted]).toEqual([false, false]);
    server.answer = good;
    await clock.advance(askEveryMs);
    expect(begun).toBe(true);
  });

  it('releases a waiter that is aborted', async () => {
    const { fence } = fenced(away);
    const stop = new AbortController();
    const confirmed = fence.confirmed(stop.signal);
    stop.abort(new AppError('STOPPED', 'told to stop'));
    await expect(confirmed).rejects.toMatchObject({ code: 'STOPPED' });
    await expect(fence.confirmed(AbortSignal.abort(new Error('x')))).rejects.toMatchObject({ code: 'STOPPED' });
  });

  it('leaves nothing running when the data path is over', async () => {
    const { clock, over, fence, server } = fenced(good);
    await fence.confirmed(never);
    over.abort(new Error('over'));
    await letWorkRun();
    const { asked } = server;
    await clock.advance(confirmedForMs * 2);
    expect([server.asked, fence.lost.aborted, clock.pending]).toEqual([asked, false, 0]);
  });
});
