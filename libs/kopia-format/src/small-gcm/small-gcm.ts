import { Aes256 } from './aes-256.ts';
import { GHash } from './g-hash.ts';

/** Nonces have 12 bytes; tags and blocks have 16. */
const nonceBytes = 12;
const blockBytes = 16;

/** Opens `nonce, ciphertext, tag` with one of many keys; undefined when the tag does not fit. */
export type OpenGcm = (key: Uint8Array, packed: Uint8Array, additional: Uint8Array) => Uint8Array | undefined;

/**
 * AES-256-GCM (NIST SP 800-38D) for a few hundred bytes under a key of their own, which is what a content of a small file is: making
 * a decipher of node:crypto takes four times as long as all the work. Opens only, and its time depends on the key: for a process
 * whose timing no other party can observe, such as a data mover. What it opens is what node:crypto opens (the test), and contents are held to their
 * hash besides.
 */
export function smallGcm(): OpenGcm {
  const aes = new Aes256();
  const gHash = new GHash();
  const block = new Uint32Array(4);
  const mask = new Uint32Array(4);
  return (key, packed, additional) => {
    const end = packed.length - blockBytes;
    const length = end - nonceBytes;
    if (length < 0) return undefined;
    aes.setKey(key);
    aes.encrypt(0, 0, 0, 0, block);
    gHash.setKey(block);
    absorb(gHash, additional, 0, additional.length);
    absorb(gHash, packed, nonceBytes, end);
    gHash.block(0, additional.length * 8, Math.floor(length / 2 ** 29), length * 8);
    gHash.digest(block);
    const [n0, n1, n2] = [word(packed, 0), word(packed, 4), word(packed, 8)];
    aes.encrypt(n0, n1, n2, 1, mask);
    let difference = 0;
    for (let index = 0; index < 4; index++)
      difference |= (block[index] as number) ^ (mask[index] as number) ^ word(packed, end + 4 * index);
    if (difference !== 0) return undefined;
    const plain = new Uint8Array(length);
    for (let at = 0, counter = 2; at < length; at += blockBytes, counter++) {
      aes.encrypt(n0, n1, n2, counter, mask);
      const some = Math.min(blockBytes, length - at);
      for (let index = 0; index < some; index++)
        plain[at + index] =
          (packed[nonceBytes + at + index] as number) ^ ((mask[index >> 2] as number) >>> (24 - 8 * (index & 3)));
    }
    return plain;
  };
}

/** Whole blocks; the last one is filled up with zeros. */
function absorb(gHash: GHash, bytes: Uint8Array, from: number, to: number): void {
  let at = from;
  for (; at + blockBytes <= to; at += blockBytes)
    gHash.block(word(bytes, at), word(bytes, at + 4), word(bytes, at + 8), word(bytes, at + 12));
  if (at === to) return;
  const rest = new Uint8Array(blockBytes);
  rest.set(bytes.subarray(at, to));
  gHash.block(word(rest, 0), word(rest, 4), word(rest, 8), word(rest, 12));
}

const word = (b: Uint8Array, at: number) =>
  ((b[at] as number) << 24) | ((b[at + 1] as number) << 16) | ((b[at + 2] as number) << 8) | (b[at + 3] as number);
