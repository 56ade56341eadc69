import { chmod, chown, lstat, utimes } from 'node:fs/promises';

/**
 * Mode, owner and time of a volume's root directory as text, such as `1777 0:1000 1700000000.123456`. restic archives the
 * contents of a directory and not the directory itself; a database refuses to start with a root that anybody may read.
 */
export async function readVolumeRoot(volumePath: string): Promise<string> {
  const { mode, uid, gid, mtimeMs } = await lstat(volumePath);
  return `${(mode & 0o7777).toString(8)} ${uid}:${gid} ${(mtimeMs / 1000).toFixed(6)}`;
}

/** Applies what {@link readVolumeRoot} read to the root of a restored volume. Does nothing for text in any other form. */
export async function applyVolumeRoot(volumePath: string, text: string): Promise<void> {
  const [, mode, uid, gid, seconds] = /^([0-7]{1,4}) (\d+):(\d+) (-?\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (mode === undefined) return;
  // The owner comes first: a change of the owner clears the set-user-ID bit.
  await chown(volumePath, Number(uid), Number(gid));
  await chmod(volumePath, Number.parseInt(mode, 8));
  await utimes(volumePath, Number(seconds), Number(seconds));
}
