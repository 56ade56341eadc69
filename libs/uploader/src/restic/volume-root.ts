import { chmod, chown, lstat, utimes } from 'node:fs/promises';

/**
 * Mode, owner and time of a volume's root directory as text, such as `1777 0:1000 1700000000.123456`. restic archives what
 * is in a directory and not the directory itself; a database refuses a root that anybody may read.
 */
export async function readVolumeRoot(volumePath: string): Promise<string> {
  const { mode, uid, gid, mtimeMs } = await lstat(volumePath);
  return `${(mode & 0o7777).toString(8)} ${uid}:${gid} ${(mtimeMs / 1000).toFixed(6)}`;
}

/** Gives a restored volume's root what {@link readVolumeRoot} read. Does nothing for text that is not of that form. */
export async function applyVolumeRoot(volumePath: string, text: string): Promise<void> {
  const [, mode, uid, gid, seconds] = /^([0-7]{1,4}) (\d+):(\d+) (-?\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (mode === undefined) return;
  // First the owner: changing it takes the set-user-ID bit away.
  await chown(volumePath, Number(uid), Number(gid));
  await chmod(volumePath, Number.parseInt(mode, 8));
  await utimes(volumePath, Number(seconds), Number(seconds));
}
