import { AppError } from '@lateen/errors';
import { resticRepositoryType } from '../conventions/repository-names.ts';
import type { ResolvedLocation } from '../location/resolved-location.ts';

/** Where a namespace's restic repository is. */
export interface ResticPlace {
  /** What restic calls the repository: `s3:http://host:9000/bucket/prefix/restic/ns`. */
  identifier: string;
  /** The location with endpoint and bucket of the identifier; differs from the given one only with an override. */
  location: ResolvedLocation;
  /** Of all its blobs, with a trailing slash. */
  prefix: string;
}

/**
 * Identifier and blobs of a restic repository (data-movement.md section 11):
 * `s3:<url>/<bucket>/<prefix>/restic/<namespace>`, or `<config.resticRepoPrefix>/<namespace>` when the location says so.
 * @throws LOCATION_INVALID when the override is none that S3 keys can open
 */
export function resticPlace(location: ResolvedLocation, volumeNamespace: string): ResticPlace {
  const override = location.resticRepoPrefix;
  if (override !== undefined) return overridden(location, override, volumeNamespace);
  const path = [location.prefix, resticRepositoryType, volumeNamespace].filter((part) => part !== '').join('/');
  return { identifier: `s3:${addressOf(location)}/${location.bucket}/${path}`, location, prefix: `${path}/` };
}

/** AWS itself is written without a scheme, as the reference does; that means TLS. */
function addressOf({ endpoint, tls }: ResolvedLocation): string {
  if (tls && endpoint.endsWith('.amazonaws.com')) return endpoint;
  return `${tls ? 'https' : 'http'}://${endpoint}`;
}

const override = /^s3:(?:(https?):\/\/)?([^/]+)\/([^/]+)((?:\/[^/]+)*)\/*$/;

function overridden(location: ResolvedLocation, text: string, volumeNamespace: string): ResticPlace {
  const [, scheme, endpoint = '', bucket = '', path = ''] = override.exec(text) ?? [];
  if (endpoint === '' || endpoint.includes('@')) {
    throw new AppError('LOCATION_INVALID', `config.resticRepoPrefix "${text}" is not an S3 address that restic knows`, {
      nextStep: 'Write it as s3:https://host[:port]/bucket/prefix, or leave it out.',
    });
  }
  const place = { ...location, endpoint, tls: scheme !== 'http', bucket };
  const prefix = `${path.slice(1)}${path === '' ? '' : '/'}${volumeNamespace}/`;
  return { identifier: `${text.replace(/\/+$/, '')}/${volumeNamespace}`, location: place, prefix };
}
