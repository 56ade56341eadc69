import { AppError } from '@lateen/errors';
import type { AzureLocation, GcpLocation, ResolvedLocation } from '@lateen/storage-location';
import { providerVariables } from '../engine/provider-variables.ts';
import type { SessionFiles } from '../engine/session-files.ts';

/** The only Azure cloud that restic 0.14 supports; later versions read another one from AZURE_ENDPOINT_SUFFIX. */
const azureDomain = 'blob.core.windows.net';

/** @throws LOCATION_UNSUPPORTED for features that restic 0.14 does not have */
export function checkResticReaches(location: ResolvedLocation): void {
  if (location.provider !== 'azure') return;
  const { credentials, storageDomain, tls } = location;
  if (storageDomain !== azureDomain || !tls) {
    throw unsupported(`restic cannot use Azure at "${storageDomain}", only at "${azureDomain}"`);
  }
  if (credentials.kind !== 'accountKey') throw unsupported('restic cannot use Azure without a storage account key');
}

function unsupported(message: string): AppError {
  return new AppError('LOCATION_UNSUPPORTED', message, {
    nextStep: 'Use kopia for this location, or one that restic can reach with AZURE_STORAGE_ACCOUNT_ACCESS_KEY.',
  });
}

/** Arguments with which restic accesses a location; none is a secret. */
export function resticFlags(location: ResolvedLocation, { caFile }: Pick<SessionFiles, 'caFile'>): string[] {
  const s3 = location.provider === 's3' ? location : undefined;
  return [
    ...(s3 === undefined ? [] : [`--option=s3.bucket-lookup=${s3.pathStyle ? 'path' : 'dns'}`]),
    ...(s3?.verifyTls === false ? ['--insecure-tls'] : []),
    ...(location.readOnly ? ['--no-lock'] : []),
    ...(caFile === undefined ? [] : [`--cacert=${caFile}`]),
    ...rateFlag('--limit-upload', location.uploadBytesPerSecond),
    ...rateFlag('--limit-download', location.downloadBytesPerSecond),
  ];
}

/** restic counts in KiB per second, and takes 0 for no limit. */
function rateFlag(flag: string, bytesPerSecond: number | undefined): string[] {
  return bytesPerSecond === undefined ? [] : [`${flag}=${Math.max(Math.floor(bytesPerSecond / 1_024), 1)}`];
}

/** Variables with which restic accesses a location. */
export function resticVariables(
  location: ResolvedLocation,
  files: Pick<SessionFiles, 'caFile' | 'credentialsFile'>,
  own: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const common = providerVariables(location, files, own);
  switch (location.provider) {
    case 's3':
      return { ...common, ...(location.region === '' ? {} : { AWS_DEFAULT_REGION: location.region }) };
    case 'azure':
      return { ...common, ...azureVariables(location) };
    case 'gcp':
      return { ...common, ...projectOf(location) };
    case 'fs':
      return common;
  }
}

function azureVariables({ credentials, storageAccount }: AzureLocation): Record<string, string> {
  const key = credentials.kind === 'accountKey' ? { AZURE_ACCOUNT_KEY: credentials.accountKey } : {};
  return { AZURE_ACCOUNT_NAME: storageAccount, ...key };
}

/** restic requires a project although it uses one only to create a bucket, which is never necessary here. */
function projectOf({ credentials }: GcpLocation): Record<string, string> {
  if (credentials.kind !== 'serviceAccount' || credentials.projectId === undefined) return {};
  return { GOOGLE_PROJECT_ID: credentials.projectId };
}
