import { createHmac, createSecretKey } from 'node:crypto';
import { createBLAKE2b, createBLAKE2s, createBLAKE3, type IHasher } from 'hash-wasm';
import type { ContentKeys } from './content-keys.ts';
import { unsupported } from './unsupported.ts';

/** In hex, as long as ids of the repository have it. */
export type ContentHash = (bytes: Uint8Array) => string;

/** blake3 with a shorter key is stretched in a way of its own; kopia never makes one. */
const blake3KeyBytes = 32;

type Maker = (secret: Uint8Array) => Promise<ContentHash> | ContentHash;

const keyed =
  (make: (secret: Uint8Array) => Promise<IHasher>, hexDigits: number): Maker =>
  async (secret) => {
    const hasher = await make(secret);
    return (bytes) => hasher.init().update(bytes).digest('hex').slice(0, hexDigits);
  };

const hmac =
  (algorithm: string, hexDigits: number): Maker =>
  (secret) => {
    const key = createSecretKey(secret);
    return (bytes) => createHmac(algorithm, key).update(bytes).digest('hex').slice(0, hexDigits);
  };

const blake3 = (secret: Uint8Array) => {
  if (secret.length < blake3KeyBytes) throw unsupported('a short key for BLAKE3');
  return createBLAKE3(256, secret.subarray(0, blake3KeyBytes));
};

const makers: Readonly<Record<string, Maker>> = {
  'BLAKE2B-256': keyed((secret) => createBLAKE2b(256, secret), 64),
  'BLAKE2B-256-128': keyed((secret) => createBLAKE2b(256, secret), 32),
  'BLAKE2S-256': keyed((secret) => createBLAKE2s(256, secret), 64),
  'BLAKE2S-128': keyed((secret) => createBLAKE2s(128, secret), 32),
  'BLAKE3-256': keyed(blake3, 64),
  'BLAKE3-256-128': keyed(blake3, 32),
  'HMAC-SHA256': hmac('sha256', 64),
  'HMAC-SHA256-128': hmac('sha256', 32),
  'HMAC-SHA224': hmac('sha224', 56),
  'HMAC-SHA3-224': hmac('sha3-224', 56),
  'HMAC-SHA3-256': hmac('sha3-256', 64),
};

export const knownHashes: readonly string[] = Object.keys(makers);
export const isHashKnown = (name: string): boolean => Object.hasOwn(makers, name);

/** The hash that names contents. Not for two threads: it has a state. */
export async function contentHash({ hash, hashSecret }: ContentKeys): Promise<ContentHash> {
  const make = Object.hasOwn(makers, hash) ? makers[hash] : undefined;
  if (make === undefined) throw unsupported(`the hash ${hash}`);
  return make(hashSecret);
}
