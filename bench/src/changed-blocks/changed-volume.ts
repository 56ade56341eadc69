import { open } from 'node:fs/promises';
import type { Random } from '@lateen/kernel';
import type { BenchDevice } from '../block/used-device.ts';

const MiB = 1024 * 1024;
export const volumeBytes = 10 * 1024 * MiB;
/** The chunk size with which kopia splits block volumes. */
export const chunkBytes = 4 * MiB;
/** 0.1 % of the volume. */
const places = 10;
const placeBytes = MiB;
/** Written before the first upload; the rest of the volume is never written. */
const usedBytes = 256 * MiB;

/** `[offset, length]`, in ascending order. */
export type Pair = readonly [number, number];

/** Fills a thin volume with random data, piece by piece over all of it. */
export async function useVolume(device: BenchDevice, random: Random): Promise<void> {
  const pieces = usedBytes / chunkBytes;
  const step = volumeBytes / pieces;
  await writeNoise(
    device,
    random,
    Array.from({ length: pieces }, (_, at) => [at * step, chunkBytes] as const),
  );
}

/** Writes 10 MiB in 10 places, each within one or two chunks. */
export async function changeVolume(device: BenchDevice, random: Random): Promise<Pair[]> {
  const share = volumeBytes / places;
  const pairs = Array.from({ length: places }, (_, at): Pair => {
    const sectors = Math.floor(random.next() * ((share - placeBytes) / 4096));
    return [at * share + sectors * 4096, placeBytes];
  });
  await writeNoise(device, random, pairs);
  return pairs;
}

/** Bytes in the chunks that overlap these ranges. */
export function changedChunkBytes(pairs: readonly Pair[]): number {
  const touched = pairs.flatMap(([offset, length]) => [
    Math.floor(offset / chunkBytes),
    Math.floor((offset + length - 1) / chunkBytes),
  ]);
  return new Set(touched).size * chunkBytes;
}

async function writeNoise({ path }: BenchDevice, random: Random, pairs: readonly Pair[]): Promise<void> {
  await using device = await open(path, 'r+');
  for (const [offset, length] of pairs) await device.write(noise(length, random), 0, length, offset);
  await device.sync();
}

/** Data that can be neither deduplicated nor compressed. */
export function noise(length: number, random: Random): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let state = Math.floor(random.next() * 2 ** 31) | 1;
  for (let at = 0; at + 4 <= length; at += 4) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes.writeInt32LE(state, at);
  }
  return bytes;
}
