import { volumeLimits } from './limits.ts';
import { volumeError } from './volume-error.ts';

/**
 * A path from a request, fit to be mounted on: absolute, in normal form, not the root.
 * Kubelet's directories are configurable, so no prefix is demanded; what is demanded is that the path means what it says.
 * @throws AppError `INVALID_ARGUMENT` naming the field.
 */
export function checkTargetPath(path: string, field: string): string {
  const problem = problemOf(path);
  if (problem !== undefined) throw volumeError('INVALID_ARGUMENT', `${field} ${problem}`);
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

function problemOf(path: string): string | undefined {
  if (path === '') return 'is missing';
  if (path.includes('\0')) return 'contains a NUL byte';
  if (Buffer.byteLength(path) > volumeLimits.pathBytesMax) return `is longer than ${volumeLimits.pathBytesMax} bytes`;
  if (!path.startsWith('/')) return 'is not absolute';
  const segments = path.replace(/\/$/, '').split('/').slice(1);
  if (segments.length === 0) return 'is the root directory';
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..')) return 'is not in normal form';
  return undefined;
}
