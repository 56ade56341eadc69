import { chmod, lstat, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { AppError } from '@lateen/errors';

/** sun_path of a unix socket, without the closing NUL. */
const socketPathBytesMax = 107;

/**
 * The socket path of a `unix://` endpoint (`unix:///csi/csi.sock`, also `unix:/csi/csi.sock`).
 * @throws AppError `INVALID_ENDPOINT`.
 */
export function socketPathOf(endpoint: string): string {
  const match = /^unix:(?:\/\/)?(\/[^/\0][^\0]*)$/.exec(endpoint);
  const path = match?.[1];
  if (path === undefined || path.split('/').includes('..')) {
    throw new AppError('INVALID_ENDPOINT', `endpoint "${endpoint}" is not a unix socket`, {
      nextStep: 'Give an absolute path, for example unix:///csi/csi.sock.',
    });
  }
  if (Buffer.byteLength(path) > socketPathBytesMax) {
    throw new AppError('INVALID_ENDPOINT', `socket path "${path}" is longer than ${socketPathBytesMax} bytes`, {
      nextStep: 'Use a shorter directory.',
    });
  }
  return path;
}

/**
 * Removes the socket that a killed process left. A socket that still answers belongs to a living process and is kept.
 * @throws AppError `SOCKET_IN_USE` (retry later), `SOCKET_PATH_TAKEN` when the path is something else.
 */
export async function removeStaleSocket(path: string): Promise<void> {
  const found = await lstat(path).catch(ignoreMissing);
  if (found === undefined) return;
  if (!found.isSocket()) {
    throw new AppError('SOCKET_PATH_TAKEN', `${path} exists and is not a socket`, {
      nextStep: 'Remove it or choose another endpoint.',
    });
  }
  if (await answers(path)) {
    throw new AppError('SOCKET_IN_USE', `another process serves ${path}`, {
      retry: 'later',
      nextStep: 'Stop that process first.',
    });
  }
  await unlink(path).catch(ignoreMissing);
}

/** Only root may connect to a driver, because the driver carries out mounts. */
export async function protectSocket(path: string): Promise<void> {
  await chmod(path, 0o600);
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
