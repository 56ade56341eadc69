import { randomBytes, randomUUID } from 'node:crypto';

/** Randomness and identifiers as a port. */
export interface Random {
  /** Uniform in [0, 1). For jitter, never for secrets. */
  next(): number;
  /** A version 4 UUID. */
  uuid(): string;
  /** `length` characters of `bcdfghjklmnpqrstvwxz2456789`, as Kubernetes' generateName appends. */
  suffix(length: number): string;
}

/** No vowels and no look-alikes, as in k8s.io/apimachinery's name generator. */
export const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

export const systemRandom: Random = {
  next: () => Math.random(),
  uuid: () => randomUUID(),
  suffix: (length) => Array.from(randomBytes(length), (byte) => suffixAlphabet[byte % suffixAlphabet.length]).join(''),
};
