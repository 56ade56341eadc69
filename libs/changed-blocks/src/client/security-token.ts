import { type KubeObject, type ResourceType, serviceAccountType } from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import type { KubeApi, ObjectKey } from '@lateen/kube';
import { doubt } from '../doubt.ts';

interface TokenRequest extends KubeObject {
  spec: { audiences: string[]; expirationSeconds: number };
  status?: { token?: string };
}

/** Tokens are a subresource of the account. */
const tokenRequestType: ResourceType<TokenRequest> = serviceAccountType as ResourceType<TokenRequest>;

/** What the API server gives at least; the sidecar ends a stream after ten minutes by default, and the next one asks for a new token. */
const expirationSeconds = 600;

/**
 * A token of this service account for one audience (TokenRequest). Other audiences refuse it.
 * @throws DELTA_FORBIDDEN when we may not ask for it, or there is no such account; KUBE_… when the API server is away
 */
export async function requestToken(
  kube: KubeApi,
  account: ObjectKey,
  audience: string,
  signal: AbortSignal,
): Promise<string> {
  const { namespace = '', name } = account;
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { namespace, name },
    spec: { audiences: [audience], expirationSeconds },
  };
  try {
    const { status } = await kube.create(tokenRequestType, request, { subresource: 'token', signal });
    const token = status?.token ?? '';
    if (token !== '') return token;
  } catch (cause) {
    if (!isAppError(cause, 'KUBE_FORBIDDEN') && !isAppError(cause, 'KUBE_NOT_FOUND')) throw cause;
    throw doubt('DELTA_FORBIDDEN', `a token of service account ${namespace}/${name} was refused`, {
      cause,
      nextStep: `Allow the creation of serviceaccounts/token of ${name} in namespace ${namespace}.`,
    });
  }
  throw doubt('DELTA_FORBIDDEN', `the API server gave an empty token of service account ${namespace}/${name}`);
}
