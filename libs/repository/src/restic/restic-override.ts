import { isHostAndPort, wrongInKey } from '@lateen/object-store';
import { isBucketName, type ResolvedLocation, type S3Location, wrongPodPath } from '@lateen/storage-location';

/** Where a namespace's restic repository is. */
export interface ResticPlace {
  /** restic's name of the repository: `s3:http://host:9000/bucket/prefix/restic/ns`. */
  identifier: string;
  /** The location with endpoint and bucket of the identifier; differs from the given one only with an override. */
  location: ResolvedLocation;
  /** Prefix of all its blobs, with a trailing slash. */
  prefix: string;
}

const s3Address = /^s3:(?:(https?):\/\/)?([^/]+)\/([^/]+)((?:\/[^/]+)*)\/*$/;
const bucketAddress = /^(azure|gs):([^:/]+):((?:\/[^/]+)*)\/*$/;
const directory = /^((?:\/[^/]+)*)\/*$/;

/**
 * The place below config.resticRepoPrefix; undefined when that is no address of the location's provider. Keys, account and, for
 * Azure, the cloud remain those of the location.
 */
export function overriddenPlace(
  location: ResolvedLocation,
  text: string,
  volumeNamespace: string,
): ResticPlace | undefined {
  const identifier = `${text.replace(/\/+$/, '')}/${volumeNamespace}`;
  if (location.provider === 's3') return onS3(location, text, identifier, volumeNamespace);
  if (location.provider === 'fs') {
    const [, path = ''] = directory.exec(text) ?? [];
    if (path === '' || wrongPodPath(path) !== undefined) return undefined;
    return { identifier, location: { ...location, path }, prefix: `${volumeNamespace}/` };
  }
  const [, scheme, bucket = '', path = ''] = bucketAddress.exec(text) ?? [];
  if (scheme !== (location.provider === 'azure' ? 'azure' : 'gs')) return undefined;
  const prefix = below(path, volumeNamespace);
  if (!isBucketName(bucket, location.provider) || wrongInKey(prefix) !== undefined) return undefined;
  // restic requires a slash after the colon, also without a prefix.
  return { identifier: `${scheme}:${bucket}:${path}/${volumeNamespace}`, location: { ...location, bucket }, prefix };
}

function onS3(location: S3Location, text: string, identifier: string, namespace: string): ResticPlace | undefined {
  const [, scheme, endpoint = '', bucket = '', path = ''] = s3Address.exec(text) ?? [];
  const prefix = below(path, namespace);
  if (!isHostAndPort(endpoint) || !isBucketName(bucket, 's3') || wrongInKey(prefix) !== undefined) return undefined;
  return { identifier, location: { ...location, endpoint, tls: scheme !== 'http', bucket }, prefix };
}

const below = (path: string, namespace: string): string => `${path.slice(1)}${path === '' ? '' : '/'}${namespace}/`;
