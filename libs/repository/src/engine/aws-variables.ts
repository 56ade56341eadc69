import type { AwsRole, S3Location } from '@lateen/storage-location';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * How a pod gets keys: from its environment, by the role of its service account, from an agent (EKS Pod Identity), or from its
 * node.
 */
export type PodKeysSource = 'keys' | 'webIdentity' | 'agent' | 'node';

/** Shown in the account's log; the same for the store and for both engines, so that a trust policy can require it. */
const sessionNameDefault = 'lateen';

/** Address of the instance metadata service (Amazon EC2 user guide, "Use IMDSv2"). */
const metadataHost = '169.254.169.254';

/**
 * The first source that exists, in the order of the AWS SDKs and of `environmentKeys` (object-store-s3). @param own our own
 * environment
 */
export function podKeysSource(own: Environment): PodKeysSource {
  if (own.AWS_ACCESS_KEY_ID && own.AWS_SECRET_ACCESS_KEY) return 'keys';
  if (own.AWS_ROLE_ARN && own.AWS_WEB_IDENTITY_TOKEN_FILE) return 'webIdentity';
  return own.AWS_CONTAINER_CREDENTIALS_FULL_URI ? 'agent' : 'node';
}

/**
 * The variables from which both engines get keys for S3. With a role they fetch the keys themselves, and again after four fifths
 * of the keys' lifetime (minio-go, pkg/credentials): a movement may take longer than keys are valid. Only the variables of one
 * source are passed, because the engine could otherwise find another one first.
 */
export function awsVariables({ credentials, region }: S3Location, own: Environment): Record<string, string> {
  if ('identity' in credentials) return podVariables(region, own);
  if ('roleArn' in credentials) return roleVariables(credentials, region);
  return keyVariables(credentials.accessKeyId, credentials.secretAccessKey, credentials.sessionToken);
}

function podVariables(region: string, own: Environment): Record<string, string> {
  switch (podKeysSource(own)) {
    case 'keys':
      return keyVariables(own.AWS_ACCESS_KEY_ID ?? '', own.AWS_SECRET_ACCESS_KEY ?? '', own.AWS_SESSION_TOKEN);
    case 'webIdentity':
      return roleVariables(
        {
          roleArn: own.AWS_ROLE_ARN ?? '',
          webIdentityTokenFile: own.AWS_WEB_IDENTITY_TOKEN_FILE ?? '',
          ...(own.AWS_ROLE_SESSION_NAME ? { roleSessionName: own.AWS_ROLE_SESSION_NAME } : {}),
        },
        // The cluster's region, whose token service the pod can reach; the bucket may be in another one.
        own.AWS_REGION || own.AWS_DEFAULT_REGION || region,
      );
    case 'agent': {
      const tokenFile = own.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE;
      const url = own.AWS_CONTAINER_CREDENTIALS_FULL_URI ?? '';
      return {
        AWS_CONTAINER_CREDENTIALS_FULL_URI: url,
        ...(tokenFile ? { AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: tokenFile } : {}),
        ...(URL.canParse(url) ? withoutProxy(new URL(url).hostname, own) : {}),
      };
    }
    case 'node':
      return withoutProxy(metadataHost, own);
  }
}

/** An address that only this node can answer must not be requested through a proxy, which is another host. */
function withoutProxy(host: string, own: Environment): Record<string, string> {
  if (!own.HTTP_PROXY && !own.http_proxy) return {};
  const given = own.NO_PROXY || own.no_proxy;
  return { NO_PROXY: given ? `${given},${host}` : host };
}

/** AWS_REGION only selects the token service; the bucket's region is passed separately. */
function roleVariables(role: AwsRole, region: string): Record<string, string> {
  return {
    AWS_ROLE_ARN: role.roleArn,
    AWS_WEB_IDENTITY_TOKEN_FILE: role.webIdentityTokenFile,
    AWS_ROLE_SESSION_NAME: role.roleSessionName ?? sessionNameDefault,
    ...(region === '' ? {} : { AWS_REGION: region }),
  };
}

function keyVariables(id: string, secret: string, token: string | undefined): Record<string, string> {
  return {
    AWS_ACCESS_KEY_ID: id,
    AWS_SECRET_ACCESS_KEY: secret,
    ...(token ? { AWS_SESSION_TOKEN: token } : {}),
  };
}
