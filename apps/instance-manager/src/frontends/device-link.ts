import { lstat, mkdir, readlink, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { hostError } from '@lateen/block-engine';

/** The link to a volume's current device: `/dev/longhorn/<volume>`. */
export interface DeviceLinks {
  pathOf(volume: string): string;
  /** Points the link at the device, atomically. @throws `NOT_POSSIBLE_NOW` when something else is in its place */
  set(volume: string, device: string): Promise<string>;
  /** Does nothing when it does not exist; anything but a link is kept, and with `device` also a link to another device. */
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
        throw hostError('NOT_POSSIBLE_NOW', `${path} is not a link of the instance manager`, {
          nextStep: 'Remove it from the node.',
        });
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
