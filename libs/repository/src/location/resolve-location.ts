import type { BackupStorageLocation } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { parseAwsCredentials } from './aws-credentials.ts';
import type { ResolvedLocation } from './resolved-location.ts';

/** What {@link resolveLocation} needs from Secrets. */
export interface LocationSecrets {
  /** Content of the credentials file. */
  credentials: string;
  /** Which Secret that was, for messages. */
  credentialsFrom: string;
  /** PEM behind objectStorage.caCertRef. */
  caCertRef?: string;
}

/**
 * Everything that is needed to reach a location, from its spec and its Secrets; pure.
 * Rules: data-movement.md section 9 (backend choice, S3 endpoint), object-store-layout.md section 1 (bucket, prefix).
 * @throws LOCATION_INVALID, LOCATION_UNSUPPORTED, CREDENTIALS_INVALID
 */
export function resolveLocation(location: BackupStorageLocation, secrets: LocationSecrets): ResolvedLocation {
  const { spec } = location;
  const config = spec.config ?? {};
  checkProvider(spec.provider, config);
  const { bucket, prefix } = placeOf(spec.objectStorage);
  const region = config.region ?? '';
  const { endpoint, tls } = endpointOf(config.s3Url, region);
  const caPem = caOf(spec.objectStorage.caCert, secrets.caCertRef);
  return {
    provider: 's3',
    name: location.metadata.name ?? '',
    bucket,
    prefix,
    region,
    endpoint,
    tls,
    verifyTls: config.insecureSkipTLSVerify !== 'true',
    ...(caPem === undefined ? {} : { caPem }),
    pathStyle: pathStyleOf(config.s3ForcePathStyle, endpoint),
    readOnly: spec.accessMode === 'ReadOnly',
    ...(config.resticRepoPrefix ? { resticRepoPrefix: config.resticRepoPrefix } : {}),
    credentials: parseAwsCredentials(secrets.credentials, config.profile ?? 'default', secrets.credentialsFrom),
  };
}

/** `aws`, `velero.io/aws`, or any provider that gives an s3Url. */
function checkProvider(provider: string, config: Readonly<Record<string, string>>): void {
  const full = provider.includes('/') ? provider : `velero.io/${provider}`;
  if (full === 'velero.io/aws') return;
  const known = ['velero.io/azure', 'velero.io/gcp', 'velero.io/fs'].includes(full);
  if (!known && config.s3Url !== undefined) return;
  throw new AppError('LOCATION_UNSUPPORTED', `provider "${provider}" is not supported`, {
    nextStep: 'Use provider "aws" with any object store that speaks S3 (config.s3Url names its address).',
  });
}

function placeOf(storage: { bucket: string; prefix?: string }): { bucket: string; prefix: string } {
  const bucket = trimSlashes(storage.bucket);
  if (bucket === '') throw invalid('spec.objectStorage.bucket is empty', 'Name the bucket.');
  if (bucket.includes('/') && !bucket.startsWith('arn:aws:s3:')) {
    throw invalid(
      `backup storage location's bucket name "${bucket}" must not contain a '/' (if using a prefix, put it in the 'Prefix' field instead)`,
    );
  }
  return { bucket, prefix: trimSlashes(storage.prefix ?? '') };
}

function endpointOf(s3Url: string | undefined, region: string): { endpoint: string; tls: boolean } {
  if (s3Url === undefined || s3Url === '') {
    return { endpoint: region === '' ? 's3.amazonaws.com' : `s3-${region}.amazonaws.com`, tls: true };
  }
  const text = s3Url.includes('://') ? s3Url : `https://${s3Url}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.host === '' || !['http:', 'https:'].includes(url.protocol)) {
    throw invalid(`config.s3Url "${s3Url}" is not an http or https address`, 'Write it as https://host[:port].');
  }
  if (trimSlashes(url.pathname) !== '' || url.search !== '' || url.hash !== '') {
    throw invalid(`config.s3Url "${s3Url}" has a path`, 'Leave only scheme, host and port.');
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid('config.s3Url holds credentials', 'Move them into the Secret of spec.credential.');
  }
  return { endpoint: url.host, tls: url.protocol === 'https:' };
}

function caOf(caCert: string | undefined, caCertRef: string | undefined): string | undefined {
  const inline = caCert === undefined || caCert === '' ? undefined : Buffer.from(caCert, 'base64').toString('utf8');
  const pem = inline ?? caCertRef;
  if (pem !== undefined && !pem.includes('-----BEGIN CERTIFICATE-----')) {
    throw invalid('the CA certificate of objectStorage is not PEM', 'Give one or more PEM certificates.');
  }
  return pem;
}

/** Only AWS itself is sure to answer at `bucket.host`; everybody else is asked by path unless told otherwise. */
function pathStyleOf(forced: string | undefined, endpoint: string): boolean {
  if (forced === 'true' || forced === 'false') return forced === 'true';
  return !endpoint.endsWith('.amazonaws.com');
}

const trimSlashes = (text: string): string => text.replace(/^\/+|\/+$/g, '');

function invalid(message: string, nextStep?: string): AppError {
  return new AppError('LOCATION_INVALID', message, nextStep === undefined ? {} : { nextStep });
}
