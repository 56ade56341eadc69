import { createSign } from 'node:crypto';
import type { Clock } from '@lateen/kernel';
import { askToken, type ProviderWords, type ProxyFor, type Refusal } from '@lateen/object-store';
import { noToken } from './token-error.ts';

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
  asking: { clock: Clock; proxyFor?: ProxyFor | undefined },
): Promise<{ token: string; lifeMs: number }> {
  const key = JSON.parse(json) as ServiceAccountKey;
  const tokenUri = key.token_uri ?? 'https://oauth2.googleapis.com/token';
  if (!/^https?:$/.test(URL.parse(tokenUri)?.protocol ?? '')) throw noToken('token_uri of the key is not an address');
  const assertion = assertionOf(key, tokenUri, scopes, Math.floor(asking.clock.now() / 1_000));
  const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
  return await askToken(
    {
      url: tokenUri,
      body,
      secrets: [assertion],
      service: "Google's token service",
      setting: '',
      wordsOf,
    },
    asking,
  );
}

/** What Google says of an assertion (Google identity, "Using OAuth 2.0 for server to server applications": errors). */
function wordsOf({ code, message }: Refusal): ProviderWords {
  if (/timeframe|iat and exp/i.test(message)) return { cause: 'clock' };
  if (code === 'disabled_client' || /disabled/i.test(message)) return { cause: 'disabled' };
  if (/account not found/i.test(message)) {
    return { nextStep: 'The service account is gone; make another one, and put its JSON key into the Secret.' };
  }
  if (code === 'invalid_grant') {
    return { nextStep: 'The key was deleted or has expired; make a new JSON key, and put it into the Secret.' };
  }
  return { nextStep: 'Check the key in the Secret of the location.' };
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
  try {
    return `${text}.${createSign('RSA-SHA256').update(text).sign(key.private_key, 'base64url')}`;
  } catch {
    // OpenSSL's message does not help, and may contain a part of the key.
    throw noToken(`private_key of ${key.client_email} cannot be read`);
  }
}
