import { readFile } from 'node:fs/promises';
import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { askToken, type ProviderWords, type ProxyFor, type TokenQuestion } from '@lateen/object-store';
import type { AzureStoreCredentials } from './azure-config.ts';

export type PrincipalCredentials = Exclude<AzureStoreCredentials, { kind: 'accountKey' }>;

/** What the SDK asks for an access token. */
export interface TokenSource {
  getToken(
    scopes: string | string[],
    options?: { abortSignal?: unknown },
  ): Promise<{ token: string; expiresOnTimestamp: number }>;
}

/**
 * Tokens of Microsoft Entra ID by the client credentials grant, with a secret or with the token that Kubernetes keeps in a
 * file (Microsoft identity platform, "OAuth 2.0 client credentials flow"). The SDK keeps each until shortly before it
 * expires. Rejects with OBJECT_STORE_FORBIDDEN and OBJECT_STORE_UNAVAILABLE; no secret is in a message.
 */
export function principalTokens(
  credentials: PrincipalCredentials,
  { clock, proxyFor }: { clock: Clock; proxyFor?: ProxyFor | undefined },
): TokenSource {
  return {
    getToken: async (scopes, options) => {
      // The SDK's own kind of signal; what it hands on is the one of the call.
      const signal = options?.abortSignal instanceof AbortSignal ? options.abortSignal : undefined;
      const proof = await proofOf(credentials);
      const asked = clock.now();
      const question = questionOf(credentials, proof, [scopes].flat().join(' '));
      const { token, lifeMs } = await askToken(question, { clock, signal, proxyFor });
      return { token, expiresOnTimestamp: asked + lifeMs };
    },
  };
}

function questionOf(
  { authority, tenantId, clientId }: PrincipalCredentials,
  proof: Record<string, string>,
  scope: string,
): TokenQuestion {
  return {
    url: `${authority}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`,
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, scope, ...proof }),
    secrets: Object.values(proof),
    service: 'Microsoft Entra ID',
    setting: authority.startsWith('https://login.') ? '' : 'config.activeDirectoryAuthorityURI',
    wordsOf: ({ message }) => codes[/AADSTS\d+/.exec(message)?.[0] ?? ''] ?? { cause: 'denied', nextStep: checkSecret },
  };
}

const checkSecret = 'Check AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET in the Secret of the location.';

/** What Microsoft Entra ID says by number (Microsoft Entra authentication and authorization error codes). */
const codes: Readonly<Record<string, ProviderWords>> = {
  AADSTS7000222: {
    cause: 'expired',
    nextStep: 'Make a new client secret, and put it into the Secret of the location.',
  },
  AADSTS7000215: { cause: 'denied', nextStep: 'Check AZURE_CLIENT_SECRET in the Secret: its value, not its ID.' },
  AADSTS700016: { cause: 'denied', nextStep: 'Check AZURE_CLIENT_ID and AZURE_TENANT_ID in the Secret.' },
  AADSTS90002: { cause: 'denied', nextStep: 'Check AZURE_TENANT_ID in the Secret.' },
  AADSTS700024: { cause: 'clock' },
  AADSTS7000112: { cause: 'disabled' },
};

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
