import type { Clock } from '@lateen/kernel';
import type { ProxyFor } from '@lateen/object-store';
import { fixedKeys, type S3CredentialSource, type S3Keys } from './credential-source.ts';
import { type S3Role, stsUrlOf, webIdentityKeys } from './web-identity.ts';

/** Keys as they are, a source as it is, and for a role the token service of the region. */
export function sourceOf(
  credentials: S3Keys | S3Role | S3CredentialSource,
  region: string,
  deps: { clock: Clock; proxyFor?: ProxyFor | undefined },
): S3CredentialSource {
  if ('keys' in credentials) return credentials;
  if ('roleArn' in credentials) return webIdentityKeys({ ...credentials, stsUrl: stsUrlOf(region) }, deps);
  return fixedKeys(credentials);
}
