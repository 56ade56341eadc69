import type { AzureCredentials, ResolvedLocation } from '@lateen/storage-location';
import { awsVariables } from './aws-variables.ts';
import type { SessionFiles } from './session-files.ts';

/** Where Google's libraries look for an account when no key is given: the metadata server, or a file of the pod. */
const ambientGoogle = ['GOOGLE_APPLICATION_CREDENTIALS', 'GOOGLE_CLOUD_PROJECT', 'GCE_METADATA_HOST'] as const;

/** The variables with which both engines access a location. @param own our own environment */
export function providerVariables(
  location: ResolvedLocation,
  files: Pick<SessionFiles, 'caFile' | 'credentialsFile'>,
  own: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  switch (location.provider) {
    case 's3':
      return awsVariables(location, own);
    case 'azure':
      return { ...trust(files), ...authority(location.credentials) };
    case 'gcp':
      return { ...trust(files), ...googleVariables(files, own) };
    case 'fs':
      return {};
  }
}

/** Go reads the system's directory of authorities in addition to this file. */
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
