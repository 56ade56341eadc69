import { hostError } from '@lateen/block-engine';
import { childRunner } from '@lateen/child-process';
import type { Clock } from '@lateen/kernel';

/**
 * Freezes, reports it, and thaws when its input ends or the time is over, whichever comes first: so a program that was killed never leaves a file
 * system frozen. A file system that another program has frozen stays frozen by that program. $1 mount point, $2 seconds.
 */
const script = `
sync --file-system "$1" || exit 91
if reason=$(fsfreeze --freeze "$1" 2>&1); then
  trap 'fsfreeze --unfreeze "$1"' EXIT
else
  case $reason in *busy*) ;; *) echo "$reason" >&2; exit 92 ;; esac
fi
echo frozen
timeout "$2" cat >/dev/null
test $? -ne 124 || exit 93
`;

/** Writers wait while it is frozen. An engine takes a snapshot in less time than its own longest pause. */
const frozenSecondsMax = 15;
const lateExitCode = 93;
const graceMs = 2_000;

/**
 * Runs `act` while the file system at a mount point is frozen. @throws AppError `NOT_POSSIBLE_NOW` when it cannot be frozen, or when it was thawed
 * before `act` had ended: then the result of `act` is not of one moment
 */
export async function frozenWhile<T>(
  { mountPoint, path, clock }: { mountPoint: string; path: string; clock: Clock },
  signal: AbortSignal,
  act: () => Promise<T>,
): Promise<T> {
  const frozen = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  const holding = childRunner({ program: 'sh', clock, graceMs })
    .run({
      args: ['-c', script, 'freeze', mountPoint, `${frozenSecondsMax}`],
      env: { PATH: path, LC_ALL: 'C' },
      stdin: untilDone(done.promise),
      onStdout: () => frozen.resolve(),
    })
    .then((exit) => {
      frozen.reject(cannot(mountPoint, exit.stderr.trim() || 'it cannot be frozen'));
      return exit;
    });
  holding.catch((error: unknown) => frozen.reject(error));
  try {
    await frozen.promise;
    signal.throwIfAborted();
    const result = await act();
    done.resolve();
    if ((await holding).exitCode === lateExitCode) throw cannot(mountPoint, `it took longer than ${frozenSecondsMax}s`);
    return result;
  } finally {
    done.resolve();
    await holding;
  }
}

// biome-ignore lint/correctness/useYield: nothing is written; its end is the word.
async function* untilDone(done: Promise<void>): AsyncGenerator<Uint8Array, void, undefined> {
  await done;
}

const cannot = (mountPoint: string, why: string) =>
  hostError('NOT_POSSIBLE_NOW', `the file system at ${mountPoint} cannot be frozen: ${why}`);
