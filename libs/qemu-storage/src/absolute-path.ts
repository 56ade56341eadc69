import { AppError } from '@lateen/errors';

/** The kernel's bound on the address of a unix socket, less its end. */
const socketPathBytesMax = 107;

/**
 * `path` itself. A relative one means another file in another process (the storage daemon may run in another directory), and
 * one that does not begin with a slash may be a URL to qemu. @throws PATH_NOT_ABSOLUTE
 */
export function absolutePath(path: string): string {
  if (path.startsWith('/') && !path.includes('\0')) return path;
  throw new AppError('PATH_NOT_ABSOLUTE', `"${path}" is not an absolute path`);
}

/** @throws PATH_NOT_ABSOLUTE, SOCKET_PATH_TOO_LONG */
export function socketPath(path: string): string {
  if (Buffer.byteLength(absolutePath(path)) <= socketPathBytesMax) return path;
  throw new AppError('SOCKET_PATH_TOO_LONG', `the socket path ${path} has more than ${socketPathBytesMax} bytes`);
}
