import type { BlockTarget } from '@lateen/block-engine';
import { describe, expect, it } from 'vitest';
import { reserveBytesOf, withReserve } from './reserve.ts';

/** A target that can grow and records its requests. */
function ones(sizeBytes: bigint) {
  const asked: string[] = [];
  const target: BlockTarget & { sizeBytes: bigint } = {
    sizeBytes,
    read: async (at, length) => {
      asked.push(`read ${at} ${length}`);
      return [new Uint8Array(length).fill(1)];
    },
    write: async (at, data, o) => void asked.push(`write ${at} ${data.length} ${o?.fua}`),
    zero: async (at, length, o) => void asked.push(`zero ${at} ${length} ${o?.unmap}`),
    trim: async (at, length) => void asked.push(`trim ${at} ${length}`),
    flush: async () => void asked.push('flush'),
  };
  return { target, asked };
}

describe('a target with a reserve', () => {
  it('keeps its initial length, reads zeros behind the end, and forwards reads before it', async () => {
    const { target, asked } = ones(1000n);
    const reserved = withReserve(target, 2000n);
    expect(reserved.sizeBytes).toBe(2000n);
    expect(Buffer.concat(await reserved.read(998n, 4))).toEqual(Buffer.from([1, 1, 0, 0]));
    expect(Buffer.concat(await reserved.read(1000n, 2))).toEqual(Buffer.alloc(2));
    await reserved.write(0n, [new Uint8Array(1000)], { fua: true });
    await reserved.zero(10n, 990, { unmap: true });
    await reserved.flush();
    expect(asked).toEqual(['read 998 2', 'write 0 1 true', 'zero 10 990 true', 'flush']);
  });

  it('rejects a write that reaches behind the end, including its part before the end', async () => {
    const { target, asked } = ones(1000n);
    const reserved = withReserve(target, 2000n);
    const full = { details: { errno: 'ENOSPC' } };
    await expect(reserved.write(999n, [new Uint8Array(1), new Uint8Array(1)])).rejects.toMatchObject(full);
    await expect(reserved.zero(1500n, 1)).rejects.toMatchObject(full);
    await reserved.trim(1500n, 10);
    await reserved.trim(990n, 20);
    expect(asked).toEqual(['trim 990 10']);
  });

  it('uses its reserve when the target grows', async () => {
    const { target, asked } = ones(1000n);
    const reserved = withReserve(target, 2000n);
    target.sizeBytes = 1500n;
    await reserved.write(1400n, [new Uint8Array(100)]);
    await expect(reserved.write(1401n, [new Uint8Array(100)])).rejects.toMatchObject({ code: 'BLOCK_IO' });
    expect(asked).toHaveLength(1);
  });
});

it('a volume can double, and the largest can grow by 64 GiB', () => {
  expect(reserveBytesOf(10 * 1024 ** 3)).toBe(10 * 1024 ** 3);
  expect(reserveBytesOf(1024 ** 4)).toBe(64 * 1024 ** 3);
});
