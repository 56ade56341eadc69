import { isAppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import type { ProxyFor } from '@lateen/object-store';
import { GoogleAuth } from 'google-auth-library';
import type { GcsStoreCredentials } from './gcs-config.ts';
import { serviceAccountToken } from './service-account-token.ts';
import { noToken, tokensUnreachable } from './token-error.ts';

/** Objects of any bucket the account may use, and signing as another account. */
const scopes = ['https://www.googleapis.com/auth/devstorage.read_write', 'https://www.googleapis.com/auth/iam'];
/** A token is not used in the last minute of its life: requests and clocks take a while. */
const renewBeforeMs = 60_000;

/** Access tokens, each kept until shortly before it expires. */
export interface TokenSource {
  /** @throws OBJECT_STORE_FORBIDDEN, OBJECT_STORE_UNAVAILABLE; no key and no token is in a message */
  token(): Promise<string>;
  /** The store does not accept it any more; the next `token` requests another. Google's own library keeps its tokens itself. */
  forget(): void;
}

interface Asking {
  clock: Clock;
  proxyFor?: ProxyFor | undefined;
}

/** The key of a service account is used here; whatever else Google knows is found and used by its own library. */
export function tokenSource(credentials: GcsStoreCredentials, asking: Asking): TokenSource {
  return credentials.kind === 'serviceAccount' ? ownTokens(credentials.json, asking) : libraryTokens(credentials);
}

function ownTokens(json: string, asking: Asking): TokenSource {
  const { clock } = asking;
  let kept: { token: Promise<string>; untilMs: number } | undefined;
  return {
    token: () => {
      if (kept !== undefined && clock.now() < kept.untilMs) return kept.token;
      const asked = clock.now();
      const got = serviceAccountToken(json, scopes, asking);
      const mine = { token: got.then(({ token }) => token), untilMs: Number.POSITIVE_INFINITY };
      kept = mine;
      got.then(
        ({ lifeMs }) => {
          mine.untilMs = asked + lifeMs - renewBeforeMs;
        },
        () => {
          if (kept === mine) kept = undefined;
        },
      );
      return mine.token;
    },
    forget: () => {
      kept = undefined;
    },
  };
}

function libraryTokens(credentials: Exclude<GcsStoreCredentials, { kind: 'serviceAccount' }>): TokenSource {
  const auth = new GoogleAuth({
    scopes,
    ...(credentials.kind === 'externalAccount' ? { credentials: JSON.parse(credentials.json) } : {}),
  });
  return {
    token: async () => {
      const token = await auth.getAccessToken().catch((cause: unknown) => {
        throw tokenError(cause);
      });
      if (token) return token;
      throw noToken('Google gives no access token');
    },
    forget: () => {},
  };
}

/** The library's errors hold the request, and that holds the token it showed; only their words go on. */
function tokenError(cause: unknown): Error {
  if (isAppError(cause)) return cause;
  const { response, code, message } = (typeof cause === 'object' && cause !== null ? cause : {}) as {
    response?: { status?: unknown };
    code?: unknown;
    message?: unknown;
  };
  const status = Number(response?.status);
  if (status >= 400 && status < 500) return noToken(`Google gives no access token (HTTP ${status})`);
  const said = typeof message === 'string' ? (message.split('\n', 1)[0] ?? '') : '';
  if (/default credentials|does not exist/i.test(said)) return noToken('the pod has no identity at Google');
  return tokensUnreachable(typeof code === 'string' ? code : said);
}
