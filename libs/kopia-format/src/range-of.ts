import type { ByteRange } from '@lateen/object-store';
import type { RepositoryStore } from './repository-store.ts';

/** A part of a blob, in memory. */
export async function rangeOf(
  { store, keyOf }: RepositoryStore,
  blobId: string,
  { offset, length }: ByteRange,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for await (const piece of store.read(keyOf(blobId), { signal, range: { offset, length } })) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
