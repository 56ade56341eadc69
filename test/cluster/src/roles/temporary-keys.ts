import { systemClock } from '@lateen/kernel';

/** In the format of AWS's metadata services. */
export interface TemporaryKeys {
  Code: 'Success';
  AccessKeyId: string;
  SecretAccessKey: string;
  Token: string;
  Expiration: string;
}

export interface Issued {
  /** The service that issued them. */
  by: string;
  keys: TemporaryKeys;
  expiresMs: number;
  /** Requests with them that the store has accepted. */
  uses: number;
  /** The store no longer accepts them. */
  isOver: boolean;
}

/** New, unique keys at each call. */
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
