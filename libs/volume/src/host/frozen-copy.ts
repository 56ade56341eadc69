import { isAppError } from '@lateen/errors';
import { volumeLimits } from '../limits.ts';
import { volumeError } from '../volume-error.ts';
import { type CopyMode, copyArguments } from './copy-file.ts';
import { type Host, runQuick } from './host.ts';

/**
 * Freeze, copy, thaw in one child process, so that the thaw does not depend on this process staying alive. The mount
 * point and the files are positional arguments, never part of the script. A file system that another program froze
 * (a backup hook) is copied as it is and left frozen.
 * $1 mount point, $2 source, $3 target, $4 seconds, then cp's options.
 */
const freezeAndCopy = `
mount=$1 source=$2 target=$3 seconds=$4
shift 4
sync --file-system "$mount" || exit 91
if reason=$(fsfreeze --freeze "$mount" 2>&1); then
  trap 'fsfreeze --unfreeze "$mount"' EXIT
  trap 'exit 143' HUP INT TERM
else
  case $reason in
    *busy*) ;;
    *) echo "$reason" >&2; exit 92 ;;
  esac
fi
timeout --signal=KILL "$seconds" cp "$@" "$source" "$target"
`;

export interface FrozenCopy {
  mountPoint: string;
  from: string;
  to: string;
  mode: CopyMode;
}

/**
 * Copies the backing file of a mounted file system in a moment when it is whole on disk. Writers wait meanwhile: for
 * milliseconds with reflink, for the length of the copy without.
 * @throws AppError `FAILED_PRECONDITION` when the copy took longer than a file system may stay frozen.
 */
export async function copyFrozen(host: Host, copy: FrozenCopy, signal: AbortSignal): Promise<void> {
  const frozenMs = copy.mode === 'reflink' ? volumeLimits.frozenReflinkMs : volumeLimits.frozenCopyMs;
  const seconds = String(Math.ceil(frozenMs / 1000));
  const args = ['-c', freezeAndCopy, 'freeze-and-copy', copy.mountPoint, copy.from, copy.to, seconds];
  try {
    await host.run('sh', [...args, ...copyArguments(copy.mode)], {
      signal,
      timeoutMs: frozenMs + volumeLimits.quickCommandMs,
      outlivesParent: true,
    });
  } catch (error) {
    if (!isAppError(error, 'COMMAND_FAILED') || error.details.exitCode !== killedExitCode) throw error;
    throw volumeError('FAILED_PRECONDITION', `copying ${copy.from} took longer than ${seconds}s, so it was thawed`, {
      retry: 'later',
      cause: error,
      nextStep: 'Use a file system with reflink (XFS) for the state directory, or stop the writer first.',
    });
  }
  await host.files.sync(copy.to);
}

/** What `timeout --signal=KILL` leaves. */
const killedExitCode = 137;

/** Thaws a mount point if it is frozen. Not frozen, not mounted: nothing to do. */
export async function thaw(host: Host, mountPoint: string, signal: AbortSignal): Promise<void> {
  const { exitCode } = await runQuick(host, signal, 'fsfreeze', ['--unfreeze', mountPoint], [0, 1]);
  if (exitCode === 0) host.log.warn({ mountPoint }, 'thawed a file system that an interrupted snapshot had frozen');
}
