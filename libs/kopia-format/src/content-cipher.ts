import { type CipherGCMTypes, createDecipheriv, createHmac, createSecretKey } from 'node:crypto';
import type { ContentKeys } from './content-keys.ts';
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
export type MakeDecipher = (nonce: Uint8Array, iv: Uint8Array) => ReturnType<typeof createDecipheriv>;

export function contentDecipher({ encryption, encryptionSecret }: ContentKeys): MakeDecipher {
  const cipher = Object.hasOwn(ciphers, encryption) ? ciphers[encryption] : undefined;
  if (cipher === undefined) throw unsupported(`the encryption ${encryption}`);
  const secret = createSecretKey(encryptionSecret);
  return (nonce, iv) => {
    const key = createHmac('sha256', secret).update(iv).digest();
    return createDecipheriv(cipher as CipherGCMTypes, key, nonce, { authTagLength: tagBytes }).setAAD(iv);
  };
}

export function contentOpener(keys: ContentKeys): Open {
  const decipher = contentDecipher(keys);
  return (packed, iv) => {
    if (packed.length < packedOverhead) return undefined;
    const end = packed.length - tagBytes;
    const one = decipher(packed.subarray(0, nonceBytes), iv);
    (one as unknown as { setAuthTag(tag: Uint8Array): void }).setAuthTag(packed.subarray(end));
    const plain = one.update(packed.subarray(nonceBytes, end));
    try {
      one.final();
      return plain;
    } catch {
      return undefined;
    }
  };
}
