import type { AzureCredentials } from '../location/azure-credentials.ts';
import type { ResolvedLocation, S3Location } from '../location/resolved-location.ts';
import type { SessionFiles } from './session-files.ts';

/** Where Google's libraries look for an account when no key is given: the metadata server, or a file of the pod. */
const ambientGoogle = ['GOOGLE_APPLICATION_CREDENTIALS', 'GOOGLE_CLOUD_PROJECT', 'GCE_METADATA_HOST'] as const;

/** By what AWS's platforms give a pod an identity, in the order of the AWS SDKs; without any of them the node is asked. */
const ambientAws = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_ROLE_ARN',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_ROLE_SESSION_NAME',
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
  'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE',
  'AWS_EC2_METADATA_SERVICE_ENDPOINT',
] as const;

/** What both engines read from their environment to reach a location. @param own our own environment */
export function providerVariables(
  location: ResolvedLocation,
  files: Pick<SessionFiles, 'caFile' | 'credentialsFile'>,
  own: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  switch (location.provider) {
    case 's3':
      return s3Variables(location, own);
    case 'azure':
      return { ...trust(files), ...authority(location.credentials) };
    case 'gcp':
      return { ...trust(files), ...googleVariables(files, own) };
    case 'fs':
      return {};
  }
}

/** With a role both engines fetch keys themselves, and again when they expire: an upload may take longer than they last. */
function s3Variables(
  { credentials, region }: S3Location,
  own: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const inRegion = region === '' ? {} : { AWS_REGION: region };
  if ('identity' in credentials) return { ...present(own, ambientAws), ...inRegion };
  if ('roleArn' in credentials) {
    return {
      AWS_ROLE_ARN: credentials.roleArn,
      AWS_WEB_IDENTITY_TOKEN_FILE: credentials.webIdentityTokenFile,
      ...(credentials.roleSessionName === undefined ? {} : { AWS_ROLE_SESSION_NAME: credentials.roleSessionName }),
      ...inRegion,
    };
  }
  return {
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    ...(credentials.sessionToken === undefined ? {} : { AWS_SESSION_TOKEN: credentials.sessionToken }),
  };
}

/** Go reads the system's directory of authorities beside this file. */
const trust = ({ caFile }: Pick<SessionFiles, 'caFile'>): Record<string, string> =>
  caFile === undefined ? {} : { SSL_CERT_FILE: caFile };

const authority = (credentials: AzureCredentials): Record<string, string> =>
  credentials.kind === 'accountKey' ? {} : { AZURE_AUTHORITY_HOST: credentials.authority };

function googleVariables(
  { credentialsFile }: Pick<SessionFiles, 'credentialsFile'>,
  own: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  if (credentialsFile !== undefined) return { GOOGLE_APPLICATION_CREDENTIALS: credentialsFile };
  return present(own, ambientGoogle);
}

function present(own: Readonly<Record<string, string | undefined>>, names: readonly string[]): Record<string, string> {
  const known: Record<string, string> = {};
  for (const name of names) {
    const value = own[name];
    if (value !== undefined && value !== '') known[name] = value;
  }
  return known;
}
