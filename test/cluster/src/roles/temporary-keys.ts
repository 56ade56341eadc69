import { systemClock } from '@lateen/kernel';

/** As the metadata services of AWS write them. */
export interface TemporaryKeys {
  Code: 'Success';
  AccessKeyId: string;
  SecretAccessKey: string;
  Token: string;
  Expiration: string;
}

export interface Issued {
  /** Who has given them. */
  by: string;
  keys: TemporaryKeys;
  expiresMs: number;
  /** Requests with them that the store has taken. */
  uses: number;
  /** The store takes them no longer. */
  isOver: boolean;
}

/** Keys that were never there before, each time. */
export function temporaryKeys() {
  const issued: Issued[] = [];
  return {
    issued,
    issue: (by: string, lifeMs: number): TemporaryKeys => {
      const expiresMs = systemClock.now() + lifeMs;
      const number = String(issued.length + 1).padStart(4, '0');
      const keys: TemporaryKeys = {
        Code: 'Success',
        AccessKeyId: `ASIATEMPORARY${number}`,
        SecretAccessKey: `temporary-secret-${number}-of-${by}`,
        Token: `session-token-${number}-of-${by}`,
        Expiration: new Date(expiresMs).toISOString(),
      };
      issued.push({ by, keys, expiresMs, uses: 0, isOver: false });
      return keys;
    },
    find: (id: string) => issued.find(({ keys }) => keys.AccessKeyId === id),
  };
}
