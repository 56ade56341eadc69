import type { ObjectStore } from '@lateen/object-store';

/** The whole object, or `too-large` when it has more than `bytesMax`: no more than that is held of another program's file. */
export async function readBounded(
  store: ObjectStore,
  key: string,
  bytesMax: number,
  signal: AbortSignal,
): Promise<Buffer | 'too-large'> {
  const held: Uint8Array[] = [];
  let heldBytes = 0;
  for await (const piece of store.read(key, { signal })) {
    heldBytes += piece.length;
    if (heldBytes > bytesMax) return 'too-large';
    held.push(piece);
  }
  return Buffer.concat(held);
}
