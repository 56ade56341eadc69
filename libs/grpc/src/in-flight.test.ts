import { systemClock } from '@lateen/kernel';
import { describe, expect, it } from 'vitest';
import { InFlight, type InFlightKey } from './in-flight.ts';

const exclusive = (id: string): InFlightKey => ({ id, mode: 'exclusive' });
const never = new AbortController().signal;
const shared = (id: string): InFlightKey => ({ id, mode: 'shared' });

describe('InFlight', () => {
  it.each([
    { held: [exclusive('a')], wanted: [exclusive('a')], allowed: false },
    { held: [exclusive('a')], wanted: [shared('a')], allowed: false },
    { held: [shared('a')], wanted: [exclusive('a')], allowed: false },
    { held: [shared('a')], wanted: [shared('a')], allowed: true },
    { held: [exclusive('a')], wanted: [exclusive('b')], allowed: true },
    { held: [exclusive('b')], wanted: [exclusive('a'), exclusive('b')], allowed: false },
    { held: [], wanted: [], allowed: true },
  ])('with $held held, $wanted is allowed: $allowed', ({ held, wanted, allowed }) => {
    const inFlight = new InFlight();
    using _held = inFlight.enter(held);
    if (allowed) expect(() => inFlight.enter(wanted)).not.toThrow();
    else expect(() => inFlight.enter(wanted)).toThrow(expect.objectContaining({ code: 'ABORTED', retry: 'soon' }));
  });

  it('takes no key when one of them is busy', () => {
    const inFlight = new InFlight();
    const busy = inFlight.enter([exclusive('b')]);
    expect(() => inFlight.enter([exclusive('a'), exclusive('b')])).toThrow();
    busy[Symbol.dispose]();
    expect(() => inFlight.enter([exclusive('a'), exclusive('b')])).not.toThrow();
  });

  it('releases once, however often it is disposed', () => {
    const inFlight = new InFlight();
    const first = inFlight.enter([shared('a')]);
    const second = inFlight.enter([shared('a')]);
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    expect(() => inFlight.enter([exclusive('a')])).toThrow();
    second[Symbol.dispose]();
    expect(() => inFlight.enter([exclusive('a')])).not.toThrow();
  });

  it('admits a waiting call as soon as the other ends, well before the timeout', async () => {
    const inFlight = new InFlight();
    const first = inFlight.enter([exclusive('a')]);
    const waiting = inFlight.enterWithin([exclusive('a')], { waitMs: 60_000, clock: systemClock, signal: never });
    first[Symbol.dispose]();
    using _second = await waiting;
    expect(() => inFlight.enter([exclusive('a')])).toThrow();
  });

  it('admits one of two waiting calls, and returns ABORTED to the other at the timeout', async () => {
    const inFlight = new InFlight();
    const first = inFlight.enter([exclusive('a')]);
    const limits = { waitMs: 30, clock: systemClock, signal: never };
    const both = [inFlight.enterWithin([exclusive('a')], limits), inFlight.enterWithin([exclusive('a')], limits)];
    first[Symbol.dispose]();
    const ends = await Promise.allSettled(both);
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(ends.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'ABORTED' } });
  });

  it('stops waiting when the call is aborted', async () => {
    const inFlight = new InFlight();
    using _first = inFlight.enter([exclusive('a')]);
    const gone = new AbortController();
    const waiting = inFlight.enterWithin([exclusive('a')], { waitMs: 60_000, clock: systemClock, signal: gone.signal });
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
  });
});
