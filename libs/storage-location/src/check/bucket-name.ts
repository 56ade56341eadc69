import type { ResolvedLocation, StoreLocation } from '../resolved-location.ts';
import { locationInvalid } from './location-invalid.ts';
import { shown } from './shown.ts';

/** Letters of both cases and `_` are in old names at AWS, `:` in those of tenants at Ceph and of domains at Google. */
const bucketName = /^[A-Za-z0-9_.][A-Za-z0-9_.:-]{0,254}$/;

/** Amazon S3 user guide, "Referencing access points"; Velero's own form is the first. */
const accessPoint = /^arn:aws[a-z-]*:s3:[a-z0-9-]+:\d+:accesspoint[/:][a-z0-9-]+$/;

/** Azure documentation, "Naming containers"; three have a name with a dollar. */
const containerName = /^(\$root|\$web|\$logs|[a-z0-9][a-z0-9-]{0,62})$/;

const forms: Readonly<Record<Exclude<ResolvedLocation['provider'], 'fs'>, RegExp>> = {
  s3: new RegExp(`${bucketName.source}|${accessPoint.source}`),
  azure: containerName,
  gcp: bucketName,
};

/**
 * Refuses what is no bucket's name: it becomes a part of URLs, and of what engines call a repository. A directory has no
 * use for one. @throws LOCATION_INVALID
 */
export function checkBucketName(bucket: string, provider: StoreLocation['provider']): void {
  if (provider === 'fs') return;
  if (bucket === '') throw locationInvalid('spec.objectStorage.bucket is empty', 'Name the bucket.');
  if (bucket.includes('/') && !bucket.startsWith('arn:aws:s3:')) {
    throw locationInvalid(
      `backup storage location's bucket name "${bucket}" must not contain a '/' (if using a prefix, put it in the 'Prefix' field instead)`,
    );
  }
  // What else is a name is for the plugin to say.
  if (provider === 'plugin' || isBucketName(bucket, provider)) return;
  throw locationInvalid(
    `spec.objectStorage.bucket ${shown(bucket)} is not the name of a ${provider === 'azure' ? 'container' : 'bucket'}`,
    'Write its name alone.',
  );
}

export const isBucketName = (bucket: string, provider: Exclude<ResolvedLocation['provider'], 'fs'>): boolean =>
  forms[provider].test(bucket) && !/^\.+$/.test(bucket);
