import { AppError } from '@lateen/errors';
import { environmentProxies } from '@lateen/object-store';
import type { S3StoreConfig } from './s3-config.ts';
import { type S3Store, type S3StoreDeps, s3Store } from './s3-store.ts';

/** The bucket of a backup target of volumes, as its URL names it. */
export interface BackupTargetBucket {
  readonly bucket: string;
  /** Undefined: it is learned from the store. */
  readonly region: string | undefined;
}

type TargetSecret = Readonly<Record<string, string>>;

/** The host of Amazon's own store. */
const amazonHost = 's3.amazonaws.com';

/**
 * A bucket with the credentials of a backup target's Secret, by the keys that Longhorn reads there: AWS_ACCESS_KEY_ID,
 * AWS_SECRET_ACCESS_KEY, AWS_ENDPOINTS, AWS_CERT, VIRTUAL_HOSTED_STYLE, HTTP_PROXY, HTTPS_PROXY, NO_PROXY. Nothing is contacted.
 * @throws BACKUP_TARGET_SECRET naming the key that is missing or wrong, never its value; LOCATION_INVALID
 */
export const backupTargetStore = (
  place: BackupTargetBucket,
  secret: TargetSecret,
  deps: Omit<S3StoreDeps, 'proxyFor'> = {},
): S3Store => s3Store(backupTargetConfig(place, secret), {}, { ...deps, proxyFor: environmentProxies(secret) });

export function backupTargetConfig({ bucket, region = '' }: BackupTargetBucket, secret: TargetSecret): S3StoreConfig {
  const { endpoint, tls } = endpointOf(secret.AWS_ENDPOINTS ?? '');
  const caPem = secret.AWS_CERT ?? '';
  return {
    bucket,
    region,
    endpoint: endpoint || amazonHost,
    tls,
    verifyTls: true,
    pathStyle: endpoint !== '' && secret.VIRTUAL_HOSTED_STYLE !== 'true',
    credentials: {
      accessKeyId: neededKey(secret, 'AWS_ACCESS_KEY_ID'),
      secretAccessKey: neededKey(secret, 'AWS_SECRET_ACCESS_KEY'),
    },
    ...(caPem === '' ? {} : { caPem }),
  };
}

function neededKey(secret: TargetSecret, key: string): string {
  const value = secret[key]?.trim() ?? '';
  if (value !== '') return value;
  throw secretError(`the credential secret of the backup target has no ${key}`, `Add ${key} to the Secret.`);
}

function endpointOf(text: string): { endpoint: string; tls: boolean } {
  if (text.trim() === '') return { endpoint: '', tls: true };
  const url = URL.parse(text.trim());
  const isPlain =
    url !== null && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.search === '';
  if (!isPlain || !['', '/'].includes(url.pathname))
    throw secretError(
      'AWS_ENDPOINTS in the credential secret of the backup target is not the address of a store',
      'Write it like https://host:port.',
    );
  return { endpoint: url.host, tls: url.protocol === 'https:' };
}

const secretError = (message: string, nextStep: string): AppError =>
  new AppError('BACKUP_TARGET_SECRET', message, { retry: 'later', nextStep });
