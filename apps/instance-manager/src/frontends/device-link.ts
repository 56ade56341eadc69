import { lstat, mkdir, readlink, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { hostError } from '@lateen/block-engine';

/** Where a volume has its device, whichever it is at the moment: `/dev/longhorn/<volume>`. */
export interface DeviceLinks {
  pathOf(volume: string): string;
  /** Points at the device from now on, in one step. @throws `NOT_POSSIBLE_NOW` when something else is in its place */
  set(volume: string, device: string): Promise<string>;
  /** Absent is fine; what is no link is left alone, and with a `device` a link to another one too. */
  remove(volume: string, device?: string): Promise<void>;
}

export function deviceLinks(directory: string): DeviceLinks {
  const pathOf = (volume: string) => join(directory, volume);
  return {
    pathOf,
    set: async (volume, device) => {
      const path = pathOf(volume);
      await mkdir(directory, { recursive: true, mode: 0o755 });
      const found = await lstat(path).catch(() => undefined);
      if (found !== undefined && !found.isSymbolicLink())
        throw hostError('NOT_POSSIBLE_NOW', `${path} is no link of ours`, { nextStep: 'Remove it from the node.' });
      if (found !== undefined && (await readlink(path)) === device) return path;
      const next = `${path}.new`;
      await rm(next, { force: true });
      await symlink(device, next);
      await rename(next, path);
      return path;
    },
    remove: async (volume, device) => {
      const path = pathOf(volume);
      const found = await lstat(path).catch(() => undefined);
      if (!found?.isSymbolicLink()) return;
      if (device === undefined || (await readlink(path)) === device) await rm(path, { force: true });
    },
  };
}
