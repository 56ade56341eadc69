import type { Clock } from '@lateen/kernel';
import type { ProxyFor } from '@lateen/object-store';
import { containerKeys } from './container-keys.ts';
import { fixedKeys, type S3CredentialSource } from './credential-source.ts';
import { instanceKeys } from './instance-keys.ts';
import { stsUrlOf, webIdentityKeys } from './web-identity.ts';

export interface EnvironmentKeysOptions {
  clock: Clock;
  /** Of the location; decides which token service is asked. "" when unknown. */
  region?: string;
  /** By which proxy the token service is asked. Agents and metadata services are asked directly, as Go's programs do. */
  proxyFor?: ProxyFor | undefined;
}

/**
 * Keys for a location that names no credentials, by what the platform put into the environment, in the order of the
 * AWS SDKs: keys, web identity (IAM role of the service account), EKS Pod Identity, the role of the node.
 * Nothing is contacted before the first request.
 */
export function environmentKeys(
  environment: Readonly<Record<string, string | undefined>>,
  { clock, region = '', proxyFor }: EnvironmentKeysOptions,
): S3CredentialSource {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = environment;
  if (AWS_ACCESS_KEY_ID && AWS_SECRET_ACCESS_KEY) {
    return fixedKeys({
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      ...(AWS_SESSION_TOKEN ? { sessionToken: AWS_SESSION_TOKEN } : {}),
    });
  }
  const { AWS_ROLE_ARN, AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_SESSION_NAME } = environment;
  if (AWS_ROLE_ARN && AWS_WEB_IDENTITY_TOKEN_FILE) {
    const identity = {
      roleArn: AWS_ROLE_ARN,
      webIdentityTokenFile: AWS_WEB_IDENTITY_TOKEN_FILE,
      ...(AWS_ROLE_SESSION_NAME ? { roleSessionName: AWS_ROLE_SESSION_NAME } : {}),
      stsUrl: environment.AWS_ENDPOINT_URL_STS || stsUrlOf(regionIn(environment) || region),
    };
    return webIdentityKeys(identity, { clock, proxyFor });
  }
  const { AWS_CONTAINER_CREDENTIALS_FULL_URI, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE } = environment;
  if (AWS_CONTAINER_CREDENTIALS_FULL_URI) {
    const tokenFile = AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE;
    return containerKeys({ url: AWS_CONTAINER_CREDENTIALS_FULL_URI, ...(tokenFile ? { tokenFile } : {}) }, clock);
  }
  return instanceKeys(clock, environment.AWS_EC2_METADATA_SERVICE_ENDPOINT?.replace(/\/$/, '') || undefined);
}

const regionIn = (environment: Readonly<Record<string, string | undefined>>): string =>
  environment.AWS_REGION || environment.AWS_DEFAULT_REGION || '';
