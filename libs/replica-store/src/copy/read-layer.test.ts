import { replicaIoError, type StatusLink } from '@lateen/block-engine';
import { FakeClock } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { replicaLimits } from '../limits.ts';
import { readLayer } from './read-layer.ts';

const KiB = 1024;

/** A layer that has data in every second run of `runBytes`, and records how many reads run at once. */
function aLayer(runs: number, runBytes: number, failing?: number) {
  const most = { requests: 0, bytes: 0 };
  let requests = 0;
  let bytes = 0;
  const at = (n: number) => ({ lengthBytes: runBytes, value: n % 2 });
  const link: Pick<StatusLink, 'sizeBytes' | 'contexts' | 'status' | 'read'> = {
    sizeBytes: BigInt(2 * runs * runBytes),
    contexts: ['base:allocation', 'qemu:allocation-depth'],
    status: async (context) =>
      Array.from({ length: 2 * runs }, (_, n) => (context === 'base:allocation' ? { ...at(n), value: 0 } : at(n))),
    read: async (from, length) => {
      requests += 1;
      bytes += length;
      most.requests = Math.max(most.requests, requests);
      most.bytes = Math.max(most.bytes, bytes);
      if (Number(from) === failing) throw replicaIoError('EIO', 'bad sector');
      await new Promise((resolve) => setImmediate(resolve));
      requests -= 1;
      bytes -= length;
      return [new Uint8Array(length)];
    },
  };
  return { link: link as StatusLink, most };
}

const options = { clock: new FakeClock(), signal: new AbortController().signal };

async function placesOf(link: StatusLink): Promise<number[]> {
  const places: number[] = [];
  for await (const { at } of readLayer(link, options)) places.push(Number(at));
  return places;
}

describe('readLayer', () => {
  it.each([
    ['many small runs with many parallel reads', 200, 4 * KiB, replicaLimits.piecesAtOnce, 128 * KiB],
    ['large runs with no more bytes in memory than allowed', 20, 2048 * KiB, 4, replicaLimits.bytesAtOnce],
  ])('reads %s, and returns them in order', async (_, runs, runBytes, requests, bytes) => {
    const { link, most } = aLayer(runs, runBytes);
    expect(await placesOf(link)).toEqual(Array.from({ length: runs }, (_, n) => (2 * n + 1) * runBytes));
    expect(most).toEqual({ requests, bytes });
  });

  it('fails when a read fails, although an earlier read is still running', async () => {
    const { link } = aLayer(8, 4 * KiB, 7 * 4 * KiB);
    await expect(placesOf(link)).rejects.toThrow('bad sector');
  });
});
