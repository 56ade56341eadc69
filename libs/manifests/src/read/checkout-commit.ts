import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { childRunner } from '@lateen/child-process';
import type { Clock } from '@lateen/kernel';

/** The time limit for checking the tree's files, for a disk that hangs. */
const gitMsMax = 5_000;

/** git has nothing to finish. */
const graceMs = 100;

/** Nothing is written into the checkout, not even git's own cache of checked files. */
const readOnly = { GIT_OPTIONAL_LOCKS: '0' } as const;

/**
 * The commit that a checkout is at, with `-dirty` behind it when files differ from it (as Velero's builds call it).
 * Undefined where it cannot be known: no checkout at `root` itself, no git, a folder of another user. Never rejects: the output
 * works without it.
 * @param env of the git that is run; it needs PATH
 */
export async function checkoutCommit(
  root: string,
  env: Readonly<Record<string, string | undefined>>,
  clock: Clock,
): Promise<string | undefined> {
  const args = ['-C', root, 'describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'];
  try {
    // A program that is only unpacked inside another checkout does not belong to its commit.
    await access(join(root, '.git'));
    const git = childRunner({ program: 'git', clock, graceMs });
    const given = Object.entries(env).filter((each): each is [string, string] => each[1] !== undefined);
    const gitEnv = { ...Object.fromEntries(given), ...readOnly };
    const { stdout, exitCode } = await git.run({ args, env: gitEnv, signal: clock.deadline(gitMsMax) });
    return exitCode === 0 ? /^[0-9a-f]{40,64}(-dirty)?$/.exec(stdout.trim())?.[0] : undefined;
  } catch {
    return undefined;
  }
}
