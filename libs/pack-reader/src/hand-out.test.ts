import { expect, it } from 'vitest';
import { HandOut, partLimits } from './hand-out.ts';
import type { FetchedSlices, PackSlice } from './pack-reader.ts';

const slice = (offset: number): PackSlice => ({ packId: 'p', offset, length: 10 });
const slices = Array.from({ length: partLimits.slicesMax + 1 }, (_, at) => slice(100 + at * 10));

function rig() {
  const given: FetchedSlices<PackSlice>[] = [];
  const bytes = new Uint8Array(new SharedArrayBuffer(slices.length * 10));
  const range = { packId: 'p', offset: 100, length: bytes.length, slices };
  const out = new HandOut(range, { bytes, free: () => {} }, async (fetched) => void given.push(fetched));
  return { out, given, whole: bytes.length };
}

it('delivers each part when its last byte has arrived', () => {
  const { out, given, whole } = rig();
  out.filled(whole - 11);
  expect(given).toHaveLength(0);
  out.filled(whole - 10);
  expect(given).toHaveLength(1);
  out.filled(whole);
  expect(given.flatMap((fetched) => fetched.slices)).toEqual(slices);
  expect(() => out.mustBeWhole()).not.toThrow();
});

it('reports a part that was skipped', () => {
  const { out, whole } = rig();
  out.filled(whole - 1);
  expect(() => out.mustBeWhole()).toThrow('1 slices of pack p from 100 on have not been handed out');
});
