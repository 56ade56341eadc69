import { AppError } from '@lateen/errors';
import { directoryOf, type ResolvedLocation, type S3Location } from '@lateen/storage-location';
import { checkVolumeNamespace, resticRepositoryType } from '../conventions/repository-names.ts';
import { overriddenPlace, type ResticPlace } from './restic-override.ts';

/**
 * Identifier and blobs of a restic repository (data-movement.md section 11):
 * `s3:<url>/<bucket>/<prefix>/restic/<namespace>`, `azure:<container>:/…`, `gs:<bucket>:/…`, a path for a directory, or
 * `<config.resticRepoPrefix>/<namespace>` when the location says so.
 * @throws REPOSITORY_INVALID; LOCATION_INVALID when the override is none that the location's keys can open
 */
export function resticPlace(location: ResolvedLocation, volumeNamespace: string): ResticPlace {
  checkVolumeNamespace(volumeNamespace);
  if (location.resticRepoPrefix !== undefined) {
    const place = overriddenPlace(location, location.resticRepoPrefix, volumeNamespace);
    if (place !== undefined) return place;
    throw new AppError(
      'LOCATION_INVALID',
      `config.resticRepoPrefix "${location.resticRepoPrefix}" is not ${addressKinds[location.provider].kind} that restic knows`,
      { nextStep: `Write it as ${addressKinds[location.provider].form}, or leave it out.` },
    );
  }
  const path = [location.prefix, resticRepositoryType, volumeNamespace].filter((part) => part !== '').join('/');
  return { identifier: identifierOf(location, path), location, prefix: `${path}/` };
}

const addressKinds = {
  s3: { kind: 'an S3 address', form: 's3:https://host[:port]/bucket/prefix' },
  azure: { kind: 'an Azure address', form: 'azure:container:/prefix' },
  gcp: { kind: 'a Google Cloud Storage address', form: 'gs:bucket:/prefix' },
  fs: { kind: 'a directory', form: '/directory' },
} as const;

function identifierOf(location: ResolvedLocation, path: string): string {
  switch (location.provider) {
    case 's3':
      return `s3:${addressOf(location)}/${location.bucket}/${path}`;
    case 'azure':
      return `azure:${location.bucket}:/${path}`;
    case 'gcp':
      return `gs:${location.bucket}:/${path}`;
    case 'fs':
      return directoryOf(location, path);
  }
}

/** AWS itself is written without a scheme, as in Velero; that means TLS. */
function addressOf({ endpoint, tls }: S3Location): string {
  if (tls && endpoint.endsWith('.amazonaws.com')) return endpoint;
  return `${tls ? 'https' : 'http'}://${endpoint}`;
}
