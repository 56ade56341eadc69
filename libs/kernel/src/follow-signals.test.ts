import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { followSignals } from './follow-signals.ts';

const reason = new Error('enough');

it('aborts with the reason of its first aborted signal', () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const following = followSignals(one.signal, undefined, other.signal);
  expect(following.signal.aborted).toBe(false);
  other.abort(reason);
  expect(following.signal.reason).toBe(reason);
  expect(followSignals(one.signal, other.signal).signal.reason).toBe(reason);
});

it('leaves no listener after release or abort, and does not abort its sources', () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const listeners = () => [one, other].map(({ signal }) => getEventListeners(signal, 'abort').length);
  const released = followSignals(one.signal, other.signal);
  expect(listeners()).toEqual([1, 1]);
  released.release();
  expect(listeners()).toEqual([0, 0]);
  const aborted = followSignals(one.signal, other.signal);
  aborted.abort(reason);
  expect(one.signal.aborted || other.signal.aborted).toBe(false);
  aborted.release();
  other.abort(reason);
  followSignals(one.signal, other.signal);
  expect(listeners()).toEqual([0, 0]);
});
