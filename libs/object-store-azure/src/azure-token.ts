import { readFile } from 'node:fs/promises';
import { AppError, isAppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import type { AzureStoreCredentials } from './azure-config.ts';

export type PrincipalCredentials = Exclude<AzureStoreCredentials, { kind: 'accountKey' }>;

/** What the SDK asks for an access token. */
export interface TokenSource {
  getToken(
    scopes: string | string[],
    options?: { abortSignal?: unknown },
  ): Promise<{ token: string; expiresOnTimestamp: number }>;
}

/** No authority needs longer for a token. */
const tokenTimeoutMs = 30_000;

/**
 * Tokens of Microsoft Entra ID by the client credentials grant, with a secret or with the token that Kubernetes keeps in a
 * file (Microsoft identity platform, "OAuth 2.0 client credentials flow"). The SDK keeps each until shortly before it
 * expires. Rejects with OBJECT_STORE_FORBIDDEN and OBJECT_STORE_UNAVAILABLE; no secret is in a message.
 */
export function principalTokens(credentials: PrincipalCredentials, clock: Clock): TokenSource {
  return {
    getToken: async (scopes, options) => {
      const timeout = clock.deadline(tokenTimeoutMs);
      // The SDK's own kind of signal; what it hands on is the one of the call.
      const caller = options?.abortSignal instanceof AbortSignal ? options.abortSignal : undefined;
      const signal = caller === undefined ? timeout : AbortSignal.any([caller, timeout]);
      const asked = clock.now();
      const body = new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: credentials.clientId,
        scope: [scopes].flat().join(' '),
        ...(await proofOf(credentials)),
      });
      const answer = await request(credentials, body, signal).catch((cause: unknown) => {
        caller?.throwIfAborted();
        if (isAppError(cause)) throw cause;
        throw new AppError('OBJECT_STORE_UNAVAILABLE', `tokens of ${credentials.authority} cannot be reached`, {
          retry: 'later',
          cause,
          nextStep: 'Check the network between the cluster and Microsoft Entra ID.',
        });
      });
      return { token: answer.token, expiresOnTimestamp: asked + answer.lifeSeconds * 1_000 };
    },
  };
}

async function proofOf(credentials: PrincipalCredentials): Promise<Record<string, string>> {
  if (credentials.kind === 'clientSecret') return { client_secret: credentials.clientSecret };
  const assertion = await readFile(credentials.tokenFile, 'utf8').catch((cause: unknown) => {
    throw new AppError(
      'OBJECT_STORE_FORBIDDEN',
      `there is no token of a workload identity in ${credentials.tokenFile}`,
      {
        retry: 'later',
        cause,
        nextStep: 'Label the pods with azure.workload.identity/use=true, or give AZURE_CLIENT_SECRET in the Secret.',
      },
    );
  });
  return {
    client_assertion: assertion.trim(),
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  };
}

async function request(
  { authority, tenantId, clientId }: PrincipalCredentials,
  body: URLSearchParams,
  signal: AbortSignal,
): Promise<{ token: string; lifeSeconds: number }> {
  const answer = await fetch(`${authority}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`, {
    method: 'POST',
    body,
    signal,
  });
  const said: unknown = await answer.json().catch(() => undefined);
  const fields = typeof said === 'object' && said !== null ? (said as Record<string, unknown>) : {};
  const { access_token: token, expires_in: lifeSeconds, error } = fields;
  if (answer.ok && typeof token === 'string' && token !== '') return { token, lifeSeconds: Number(lifeSeconds) || 0 };
  // error_description repeats what was sent; the short code does not.
  const why = typeof error === 'string' ? error : `HTTP ${answer.status}`;
  if (answer.status >= 500) throw new Error(`the authority answers ${why}`);
  throw new AppError('OBJECT_STORE_FORBIDDEN', `${authority} gives no token to client "${clientId}" (${why})`, {
    retry: 'later',
    nextStep: 'Check AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET in the Secret of the location.',
  });
}
