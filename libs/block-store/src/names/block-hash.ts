import { hash } from 'node:crypto';

/** Characters of every hash of the format: half of a SHA-512. */
export const hashChars = 64;
export const hashBytes = hashChars / 2;

/** The name of a block: SHA-512 of its uncompressed bytes, lower-case hex, cut to 64 characters. */
export const blockHash = (bytes: Uint8Array | string): string => hash('sha512', bytes, 'hex').slice(0, hashChars);

export const isBlockHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);
