import { kubeError } from '@lateen/kube';
import { FakeClock } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { ApiCalls } from './api-calls.ts';

const limits = { callsMin: 2, callsMax: 16, slowCallMs: 1_000, callTimeoutMs: 60_000 };
const open = new AbortController().signal;

function calls() {
  const clock = new FakeClock();
  const api = new ApiCalls(limits, clock);
  const quick = async (count: number) => {
    for (let at = 0; at < count; at++) await api.run(async () => {}, open);
  };
  return { clock, api, quick };
}

describe('ApiCalls', () => {
  it('starts with half of its limit, and adds one for each round without trouble', async () => {
    const { api, quick } = calls();
    expect(api.atOnceMax).toBe(8);
    await quick(8);
    expect(api.atOnceMax).toBe(9);
    await quick(1_000);
    expect(api.atOnceMax).toBe(16);
  });

  it('halves its limit once for all slow calls that ran at the same time', async () => {
    const { api, clock } = calls();
    const slow = Array.from({ length: 8 }, () => api.run(() => clock.sleep(2_000), open));
    await clock.advance(2_000);
    await Promise.all(slow);
    expect(api.atOnceMax).toBe(4);
  });

  it('halves its limit on rejected calls, down to a minimum', async () => {
    const { api } = calls();
    const refused = () =>
      api.run(() => Promise.reject(kubeError('KUBE_TOO_MANY_REQUESTS', 'no')), open).catch(() => {});
    for (let at = 0; at < 10; at++) await refused();
    expect(api.atOnceMax).toBe(2);
  });

  it('never runs more calls at once than its limit', async () => {
    const { api, clock } = calls();
    let now = 0;
    let most = 0;
    const all = Array.from({ length: 30 }, () =>
      api.run(async () => {
        most = Math.max(most, ++now);
        await clock.sleep(10);
        now--;
      }, open),
    );
    await clock.advance(1_000);
    await Promise.all(all);
    expect(most).toBeLessThanOrEqual(10);
    expect(most).toBeGreaterThanOrEqual(8);
  });

  it('fails a call that never ends, and releases a call that is aborted', async () => {
    const { api, clock } = calls();
    const stuck = api.run(() => new Promise(() => {}), open);
    const cancelled = new AbortController();
    const left = api.run(() => new Promise(() => {}), cancelled.signal);
    cancelled.abort(new Error('cancelled'));
    await expect(left).rejects.toThrow('cancelled');
    const expectation = expect(stuck).rejects.toMatchObject({ code: 'KUBE_UNAVAILABLE' });
    await clock.advance(60_000);
    await expectation;
    expect(api.atOnceMax).toBe(4);
  });

  it('does not start a call that was aborted while it waited', async () => {
    const { api } = calls();
    const held = Array.from({ length: 8 }, () => Promise.withResolvers<void>());
    const running = held.map(({ promise }) => api.run(() => promise, open));
    const cancelled = new AbortController();
    let begun = false;
    const waiting = api.run(async () => {
      begun = true;
    }, cancelled.signal);
    cancelled.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
    for (const { resolve } of held) resolve();
    await Promise.all(running);
    expect(begun).toBe(false);
  });
});
