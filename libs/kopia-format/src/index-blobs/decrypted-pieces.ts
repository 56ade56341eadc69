import { type MakeDecipher, nonceBytes, tagBytes } from '../content-cipher.ts';

/**
 * What a blob holds, piece by piece, without having it in memory. What it yields is verified only when it ends.
 * @throws what `corrupt` makes when the tag does not fit
 */
export async function* decryptedPieces(
  decipher: MakeDecipher,
  iv: Uint8Array,
  stored: AsyncIterable<Uint8Array>,
  corrupt: () => Error,
): AsyncGenerator<Uint8Array> {
  let held: Uint8Array = new Uint8Array();
  let opening: ReturnType<MakeDecipher> | undefined;
  for await (const piece of stored) {
    held = held.length === 0 ? piece : Buffer.concat([held, piece]);
    if (opening === undefined) {
      if (held.length < nonceBytes) continue;
      opening = decipher(held.subarray(0, nonceBytes), iv);
      held = held.subarray(nonceBytes);
    }
    // The end may be the tag.
    if (held.length <= tagBytes) continue;
    yield opening.update(held.subarray(0, held.length - tagBytes));
    held = held.slice(-tagBytes);
  }
  if (opening === undefined || held.length !== tagBytes) throw corrupt();
  opening.setAuthTag(held);
  try {
    opening.final();
  } catch {
    throw corrupt();
  }
}
