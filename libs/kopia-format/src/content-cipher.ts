import { type CipherGCMTypes, createDecipheriv, createHmac, createSecretKey, type DecipherGCM } from 'node:crypto';
import type { ContentKeys } from './content-keys.ts';
import { smallGcm } from './small-gcm/small-gcm.ts';
import { unsupported } from './unsupported.ts';

/** Nonce in front, tag behind. */
export const nonceBytes = 12;
export const tagBytes = 16;
/** By which what is packed is longer. */
export const packedOverhead = nonceBytes + tagBytes;
/** The last bytes of a hash name a content to the cipher: its key comes from them, and its tag covers them. */
export const ivBytes = 16;

/** What was sealed, or undefined when its tag does not fit. */
export type Open = (packed: Uint8Array, iv: Uint8Array) => Uint8Array | undefined;

const ciphers: Readonly<Record<string, string>> = {
  'AES256-GCM-HMAC-SHA256': 'aes-256-gcm',
  'CHACHA20-POLY1305-HMAC-SHA256': 'chacha20-poly1305',
};

export const knownEncryptions: readonly string[] = Object.keys(ciphers);
export const isEncryptionKnown = (name: string): boolean => Object.hasOwn(ciphers, name);

/** A decipher for one content or index blob, to be fed what is between nonce and tag. */
export type MakeDecipher = (nonce: Uint8Array, iv: Uint8Array) => DecipherGCM;

export function contentDecipher(keys: ContentKeys): MakeDecipher {
  const cipher = cipherOf(keys) as CipherGCMTypes;
  const keyFor = contentKeyMaker(keys);
  return (nonce, iv) => {
    const decipher = createDecipheriv(cipher, keyFor(iv), nonce, { authTagLength: tagBytes });
    decipher.setAAD(iv);
    return decipher;
  };
}

/** Of what is packed. From there on node:crypto is faster. */
const smallBytesMax = 1024;

export function contentOpener(keys: ContentKeys): Open {
  const decipher = contentDecipher(keys);
  const keyFor = contentKeyMaker(keys);
  const openSmall = cipherOf(keys) === 'aes-256-gcm' ? smallGcm() : undefined;
  return (packed, iv) => {
    if (packed.length < packedOverhead) return undefined;
    if (openSmall !== undefined && packed.length <= smallBytesMax) return openSmall(keyFor(iv), packed, iv);
    const end = packed.length - tagBytes;
    const one = decipher(packed.subarray(0, nonceBytes), iv);
    one.setAuthTag(packed.subarray(end));
    const plain = one.update(packed.subarray(nonceBytes, end));
    try {
      one.final();
      return plain;
    } catch {
      return undefined;
    }
  };
}

function cipherOf({ encryption }: ContentKeys): string {
  const cipher = Object.hasOwn(ciphers, encryption) ? ciphers[encryption] : undefined;
  if (cipher === undefined) throw unsupported(`the encryption ${encryption}`);
  return cipher;
}

function contentKeyMaker({ encryptionSecret }: ContentKeys): (iv: Uint8Array) => Uint8Array {
  // As a KeyObject: with bytes, each HMAC takes five times as long.
  const secret = createSecretKey(encryptionSecret);
  return (iv) => createHmac('sha256', secret).update(iv).digest();
}

/** Bytes of a part of a blob, without its tag: for what was verified as a whole before. Parts begin at a multiple of `blockBytes`. */
export interface PartCipher {
  blockBytes: number;
  open(nonce: Uint8Array, iv: Uint8Array, block: number, stored: Uint8Array): Uint8Array;
}

export function partCipher(keys: ContentKeys): PartCipher {
  const keyFor = contentKeyMaker(keys);
  const counted = (cipher: string, key: Uint8Array, counter: Uint8Array, stored: Uint8Array) =>
    createDecipheriv(cipher, key, counter).update(stored);
  if (cipherOf(keys) === 'aes-256-gcm')
    return {
      blockBytes: 16,
      // GCM counts from 1, which is for the tag.
      open: (nonce, iv, block, stored) => {
        const counter = Buffer.alloc(16);
        counter.set(nonce);
        counter.writeUInt32BE(block + 2, nonceBytes);
        return counted('aes-256-ctr', keyFor(iv), counter, stored);
      },
    };
  return {
    blockBytes: 64,
    // Counts from 0, which is for the tag (RFC 8439).
    open: (nonce, iv, block, stored) => {
      const counter = Buffer.alloc(16);
      counter.writeUInt32LE(block + 1);
      counter.set(nonce, 4);
      return counted('chacha20', keyFor(iv), counter, stored);
    },
  };
}
