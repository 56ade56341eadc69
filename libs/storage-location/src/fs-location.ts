import { locationInvalid } from './check/location-invalid.ts';
import { wrongPodPath } from './check/pod-path.ts';
import type { FsLocation } from './resolved-location.ts';

/** What config says of a location in a directory. @throws LOCATION_INVALID */
export function fsSettings({ fspath = '' }: Readonly<Record<string, string>>): Pick<FsLocation, 'path'> {
  if (fspath === '') {
    throw locationInvalid('config.fspath is missing', 'Name the directory; every pod of Lateen has to mount it there.');
  }
  const wrong = wrongPodPath(fspath);
  if (wrong !== undefined) throw locationInvalid(`config.fspath ${wrong}`);
  const path = fspath.replace(/\/+/g, '/').replace(/\/$/, '');
  if (path === '')
    throw locationInvalid(
      'config.fspath "/" cannot be used as the directory for backups',
      'Name a directory below it.',
    );
  return { path };
}
