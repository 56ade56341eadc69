import { describe, expect, it } from 'vitest';
import { activeIndexBlobs } from './active-index-blobs.ts';
import { activeLegacyBlobs, compactionOf } from './active-legacy-blobs.ts';

const listed = (text: string) =>
  text
    .split(' ')
    .filter((blobId) => blobId !== '')
    .map((blobId) => ({ blobId, sizeBytes: 1 }));
const active = (text: string) =>
  activeIndexBlobs(listed(text))
    .blobs.map(({ blobId }) => blobId)
    .sort()
    .join(' ');

describe('the active index blobs', () => {
  it.each([
    ['all of the first epochs, which are not compacted yet', 'xn0_a xn0_b xn1_c', 'xn0_a xn0_b xn1_c'],
    ['none of epochs that have not begun', 'xe2 xn2_a xn3_b xn4_c', 'xn2_a xn3_b'],
    ['a compaction in place of a settled epoch', 'xe2 xn0_a xn1_b xn2_c xs0_d', 'xn1_b xn2_c xs0_d'],
    ['no compaction of an epoch that is still written', 'xe2 xn1_b xs1_d', 'xn1_b'],
    ['no incomplete compaction', 'xe2 xn0_a xs0_d-s1-c2', 'xn0_a'],
    ['one of two complete compactions', 'xe2 xn0_a xs0_d-s1-c2 xs0_e-s1-c2 xs0_f-s2-c1', 'xs0_d-s1-c2 xs0_e-s1-c2'],
    ['a range in place of its epochs', 'xe9 xn7_a xs0_b xs1_c xs2_d xs3_e xr0_2_f', 'xn7_a xr0_2_f xs3_e'],
    ['the ranges that reach furthest', 'xe9 xr0_2_a xr3_4_b xr0_3_c xs5_d', 'xr0_2_a xr3_4_b xs5_d'],
    ['the smallest number of ranges', 'xe9 xr0_2_a xr3_4_b xr0_4_c', 'xr0_4_c'],
    ['no range that does not start where another one ends', 'xe9 xn1_a xr2_4_b', 'xn1_a'],
    ['no incomplete range', 'xe9 xs0_a xs1_b xr0_1_c-s1-c2', 'xs0_a xs1_b'],
    ['none with an invalid name', 'xe1 xn xnx_a xr_1 xr1 xn0_a x xw', 'xn0_a'],
  ])('%s', (_, all, ours) => expect(active(all)).toBe(ours));

  it('are determined in bounded time for any epoch numbers', () => {
    expect(active('xe999999999999999 xn999999999999998_a xn99999999999999999999_b')).toBe('xn999999999999998_a');
  });

  it('include the latest time until which deletions are final', () => {
    expect(activeIndexBlobs(listed('xw100 xw2000 xwx')).deletedUntil).toBe(2000);
    expect(activeIndexBlobs(listed('xn0_a')).deletedUntil).toBe(Number.NEGATIVE_INFINITY);
  });

  it('exclude, without epochs, the blobs that existing compactions have replaced', () => {
    const log = (inputs: string[], outputs: string[]) =>
      compactionOf({ inputMetadata: inputs.map((id) => ({ id })), outputMetadata: outputs.map((id) => ({ id })) });
    const logs = [log(['n1', 'n2'], ['n4']), log(['n3'], ['n9'])].flatMap((one) => one ?? []);
    expect(activeLegacyBlobs(listed('n1 n2 n3 n4'), logs)).toEqual(listed('n3 n4'));
    expect(compactionOf({ inputMetadata: null, outputMetadata: null })).toEqual({ inputs: [], outputs: [] });
    expect([compactionOf([]), compactionOf({ inputMetadata: [{}] }), compactionOf({ inputMetadata: 5 })]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
