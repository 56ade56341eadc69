import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '@lateen/errors';

export interface FileLockOptions {
  /** Called once when another process holds the lock, so that users see why nothing happens. */
  onWait?: () => void;
  signal?: AbortSignal | undefined;
}

/**
 * Runs `action` while this process alone holds the lock file, across processes. The lock is the kernel's (`flock`), held by a small child
 * process that ends with our end of its pipe: a crash cannot leave it behind, and the file may stay. Waits for the other holder without
 * limit; abort ends the wait.
 */
export async function withFileLock<T>(path: string, options: FileLockOptions, action: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  const release = await acquire(path, options);
  try {
    return await action();
  } finally {
    release();
  }
}

/**
 * Prints `waiting` when the lock is taken and `locked` when it is ours, then holds it until its input closes. The holder may remove the
 * file; a lock on a removed file excludes nobody, so it is dropped and the new file is tried.
 */
const holderScript = `while :; do
  exec 9>"$1" || exit 3
  flock -n 9 || { echo waiting; flock 9 || exit 3; }
  [ "$1" -ef /proc/self/fd/9 ] && break
done
echo locked
exec cat >/dev/null`;

function acquire(path: string, options: FileLockOptions): Promise<() => void> {
  const { signal } = options;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    // A separate process group: Ctrl-C must not release the lock before we have cleaned up, and abort ends flock too.
    const holder = spawn('sh', ['-c', holderScript, 'lateen-lock', path], {
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    });
    const abort = (): void => {
      if (holder.pid !== undefined && holder.exitCode === null) process.kill(-holder.pid, 'SIGTERM');
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    const free = (): void => signal?.removeEventListener('abort', abort);
    // A killed holder closes its end; that must not end our process with EPIPE.
    holder.stdin.on('error', () => {});
    holder.stdout.on('data', (chunk: Buffer) => {
      const said = chunk.toString();
      if (said.includes('waiting')) options.onWait?.();
      if (!said.includes('locked')) return;
      free();
      resolve(() => holder.stdin.end());
    });
    const fail = (cause: unknown): void => {
      free();
      reject(lockError(path, cause));
    };
    holder.on('error', fail);
    holder.on('exit', (code) => fail(new Error(`flock ended with exit code ${code}`)));
  });
}

const lockError = (path: string, cause: unknown): AppError =>
  new AppError('LOCK_FAILED', `the lock file ${path} could not be locked`, {
    cause,
    nextStep: 'Check that its folder is writable and that `flock` (Debian package util-linux) is installed.',
  });
