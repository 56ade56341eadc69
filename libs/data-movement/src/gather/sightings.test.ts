import { aDataUpload, FakeClock } from '@lateen/testing';
import { expect, it } from 'vitest';
import { Sightings } from './sightings.ts';

it('keeps the first time for as long as it is true, for this very object', async () => {
  const clock = new FakeClock();
  const sightings = new Sightings(clock);
  const t0 = clock.now();
  const first = aDataUpload({ uid: 'first' });
  expect(sightings.since(first, false)).toBeUndefined();
  expect(sightings.since(first, true)).toBe(t0);
  await clock.advance(5_000);
  expect(sightings.since(first, true)).toBe(t0);
  expect(sightings.since(aDataUpload({ uid: 'second' }), true)).toBe(t0 + 5_000);
  expect(sightings.since(first, false)).toBeUndefined();
  await clock.advance(5_000);
  expect(sightings.since(first, true)).toBe(t0 + 10_000);
  sightings.forget('velero/upload');
  await clock.advance(5_000);
  expect(sightings.since(first, true)).toBe(t0 + 15_000);
});
