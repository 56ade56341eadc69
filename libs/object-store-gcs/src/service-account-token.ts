import { createSign } from 'node:crypto';
import { isAppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { noToken, tokensUnreachable } from './token-error.ts';

/** No authority needs longer for a token. */
const tokenTimeoutMs = 30_000;
/** Google gives no token that lives longer. */
const assertionSeconds = 3_600;

interface ServiceAccountKey {
  client_email: string;
  private_key: string;
  private_key_id?: string;
  token_uri?: string;
}

/**
 * An access token for a service account's key: an assertion signed with it is exchanged at the key's `token_uri`
 * (Google identity, "Using OAuth 2.0 for server to server applications"; RFC 7523).
 * @throws OBJECT_STORE_FORBIDDEN, OBJECT_STORE_UNAVAILABLE; neither key nor assertion is in a message
 */
export async function serviceAccountToken(
  json: string,
  scopes: readonly string[],
  clock: Clock,
): Promise<{ token: string; lifeMs: number }> {
  const key = JSON.parse(json) as ServiceAccountKey;
  const tokenUri = key.token_uri ?? 'https://oauth2.googleapis.com/token';
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: assertionOf(key, tokenUri, scopes, Math.floor(clock.now() / 1_000)),
  });
  try {
    const answer = await fetch(tokenUri, { method: 'POST', body, signal: clock.deadline(tokenTimeoutMs) });
    const said: unknown = await answer.json().catch(() => undefined);
    const fields = typeof said === 'object' && said !== null ? (said as Record<string, unknown>) : {};
    const { access_token: token, expires_in: lifeSeconds, error } = fields;
    if (answer.ok && typeof token === 'string' && token !== '') {
      return { token, lifeMs: (Number(lifeSeconds) || 0) * 1_000 };
    }
    const why = typeof error === 'string' ? error : `HTTP ${answer.status}`;
    if (answer.status >= 500) throw tokensUnreachable(why);
    throw noToken(`Google gives no access token to ${key.client_email} (${why})`);
  } catch (error) {
    if (isAppError(error)) throw error;
    throw tokensUnreachable(codeOf(error));
  }
}

function assertionOf(key: ServiceAccountKey, audience: string, scopes: readonly string[], nowSeconds: number): string {
  const header = { alg: 'RS256', typ: 'JWT', ...(key.private_key_id === undefined ? {} : { kid: key.private_key_id }) };
  const claims = {
    iss: key.client_email,
    scope: scopes.join(' '),
    aud: audience,
    iat: nowSeconds,
    exp: nowSeconds + assertionSeconds,
  };
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key.private_key, 'base64url')}`;
}

/** fetch says only that it failed; the reason is its cause. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (typeof cause === 'object' && cause !== null && 'code' in cause) return String(cause.code);
  return error instanceof Error ? error.name : 'unknown';
}
