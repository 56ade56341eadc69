import { locationInvalid } from './check/location-invalid.ts';
import { wrongPodPath } from './check/pod-path.ts';
import type { CommonLocation, FsLocation } from './resolved-location.ts';

/** @throws LOCATION_INVALID */
export function fsLocation(common: CommonLocation, config: Readonly<Record<string, string>>): FsLocation {
  const { fspath = '' } = config;
  if (fspath === '') {
    throw locationInvalid('config.fspath is missing', 'Name the directory; every pod of Lateen has to mount it there.');
  }
  const wrong = wrongPodPath(fspath);
  if (wrong !== undefined) throw locationInvalid(`config.fspath ${wrong}`);
  const path = fspath.replace(/\/+/g, '/').replace(/\/$/, '');
  if (path === '') throw locationInvalid('config.fspath "/" is no directory for backups', 'Name a directory below it.');
  return { ...common, provider: 'fs', path };
}
