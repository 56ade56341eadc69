import type { FsLocation, ResolvedLocation, StoreLocation } from './resolved-location.ts';

/** The directory of a prefix ("" or ending in "/") of a location in a directory; the bucket has no part in it. */
export function directoryOf({ path }: FsLocation, prefix: string): string {
  return `${path}/${prefix}`.replace(/\/+$/, '');
}

/** `bucket "b", prefix "kopia/ns/", endpoint "host"`, in the words of the provider: for messages. */
export function placeText(location: ResolvedLocation, prefix: string): string {
  switch (location.provider) {
    case 's3':
      return `bucket "${location.bucket}", prefix "${prefix}", endpoint "${location.endpoint}"`;
    case 'azure':
      return `container "${location.bucket}", prefix "${prefix}", storage account "${location.storageAccount}.${location.storageDomain}"`;
    case 'gcp':
      return `bucket "${location.bucket}", prefix "${prefix}" of Google Cloud Storage`;
    case 'fs':
      return `directory "${directoryOf(location, prefix)}"`;
  }
}

/** `bucket "b" at s3.test`: what of a location is asked, and where; for messages. */
export function askedText(location: StoreLocation): string {
  switch (location.provider) {
    case 's3':
      return `bucket "${location.bucket}" at ${location.endpoint}`;
    case 'azure':
      return `container "${location.bucket}" at ${location.storageAccount}.${location.storageDomain}`;
    case 'gcp':
      return `bucket "${location.bucket}" at storage.googleapis.com`;
    case 'fs':
      return `directory "${location.path}"`;
    case 'plugin':
      return `bucket "${location.bucket}" of provider ${location.plugin}`;
  }
}

/** Every secret of a location, for looking for them in what an engine says. */
export function secretValuesOf(location: ResolvedLocation): string[] {
  switch (location.provider) {
    case 's3': {
      if (!('secretAccessKey' in location.credentials)) return [];
      const { accessKeyId, secretAccessKey, sessionToken } = location.credentials;
      return [accessKeyId, secretAccessKey, ...(sessionToken === undefined ? [] : [sessionToken])];
    }
    case 'azure': {
      const { credentials } = location;
      if (credentials.kind === 'accountKey') return [credentials.accountKey];
      return credentials.kind === 'clientSecret' ? [credentials.clientSecret] : [];
    }
    case 'gcp':
      return location.credentials.kind === 'serviceAccount' ? keyTexts(location.credentials.privateKey) : [];
    case 'fs':
      return [];
  }
}

/** A private key as it is, as it stands in JSON, and each of its lines, because any of these forms may be printed. */
function keyTexts(privateKey: string): string[] {
  const lines = privateKey.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('-----'));
  return [privateKey, JSON.stringify(privateKey).slice(1, -1), ...lines];
}
