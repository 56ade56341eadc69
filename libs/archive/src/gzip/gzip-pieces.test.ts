import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { gzipPieces } from './gzip-pieces.ts';

const packed = async (pieces: Parameters<typeof gzipPieces>[0]) =>
  Buffer.concat(await Array.fromAsync(gzipPieces(pieces)));

it('compresses text and bytes, from sync and async generators, and empty input', async () => {
  const lines = Array.from({ length: 300_000 }, (_, index) => `line ${index} ü\n`);
  expect(gunzipSync(await packed(lines)).toString() === lines.join('')).toBe(true);
  async function* some() {
    yield 'a';
    yield Buffer.from('b');
  }
  expect(gunzipSync(await packed(some())).toString()).toBe('ab');
  expect(gunzipSync(await packed([]))).toHaveLength(0);
});

it('fails with its source, and closes it when the reader leaves', async () => {
  const reason = new Error('the source failed');
  async function* failing() {
    yield 'a';
    throw reason;
  }
  await expect(packed(failing())).rejects.toBe(reason);
  let ended = false;
  async function* endless() {
    try {
      for (;;) yield 'x'.repeat(100_000);
    } finally {
      ended = true;
    }
  }
  for await (const _ of gzipPieces(endless())) break;
  await expect.poll(() => ended).toBe(true);
});
