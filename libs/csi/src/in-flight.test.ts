import { describe, expect, it } from 'vitest';
import { InFlight, type InFlightKey } from './in-flight.ts';

const exclusive = (id: string): InFlightKey => ({ id, mode: 'exclusive' });
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

  it('takes none of the keys when one is busy', () => {
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
});
