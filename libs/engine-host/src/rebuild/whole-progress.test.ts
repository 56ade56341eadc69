import type { ReplicaLayer } from '@lateen/block-engine';
import { expect, it } from 'vitest';
import { wholeProgress } from './whole-progress.ts';

const layers = ['s1', 's2'].map((name, index) => ({ name, sizeBytes: BigInt(100 * (index + 1)) }) as ReplicaLayer);
const told = (snapshot: string, doneBytes: bigint) => ({
  ...{ snapshot, doneBytes, layer: 1, layers: 2, totalBytes: 1n, skipped: false },
});

it.each([
  ['s1', 0n, 0n],
  ['s1', 60n, 60n],
  // It uses less space than it has data: zeros.
  ['s1', 900n, 100n],
  ['s2', 50n, 150n],
  ['later', 5n, 300n],
])('with a copy progress of %s and %d bytes, %d of all layers are done', (snapshot, done, all) => {
  expect(wholeProgress(layers, told(snapshot, done))).toEqual({ doneBytes: all, totalBytes: 300n });
});
