import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A control group around one process. */
export interface MemoryGroup {
  /** Whether the kernel has killed one of its processes for lack of memory. */
  outOfMemory(): Promise<boolean>;
  /** Removes the group; its process has ended. */
  remove(): Promise<void>;
}

/** Files of cgroup version 2 and of the memory controller of version 1 (cgroups(7)). */
const files = {
  2: { limit: 'memory.max', kills: 'memory.events' },
  1: { limit: 'memory.limit_in_bytes', kills: 'memory.oom_control' },
} as const;

/**
 * Puts a process into a control group of its own below ours, with a memory limit. Undefined where that is not allowed: the cgroup file system of most
 * containers is read-only, and in version 2 a group that has processes (ours has) gives its children no memory controller.
 */
export async function memoryGroup(pid: number, bytesMax: number, root = '/'): Promise<MemoryGroup | undefined> {
  const groups = await readFile(join(root, 'proc/self/cgroup'), 'utf8').catch(() => '');
  for (const { version, folder } of placesOf(groups)) {
    for (const parent of [
      join(root, 'sys/fs/cgroup', folder.base, folder.path),
      join(root, 'sys/fs/cgroup', folder.base),
    ]) {
      const group = await enter(join(parent, `lateen-plugin-${pid}`), version, pid, bytesMax);
      if (group !== undefined) return group;
    }
  }
  return undefined;
}

interface GroupPlace {
  version: 1 | 2;
  folder: { base: string; path: string };
}

/** Lines are `number:controllers:path`; version 2 has number 0 and no controllers. */
function placesOf(groups: string): GroupPlace[] {
  return groups.split('\n').flatMap((line): GroupPlace[] => {
    const [number, controllers, ...path] = line.split(':');
    const folder = { path: path.join(':') };
    if (controllers?.split(',').includes('memory')) return [{ version: 1, folder: { ...folder, base: 'memory' } }];
    return number === '0' && controllers === '' ? [{ version: 2, folder: { ...folder, base: '' } }] : [];
  });
}

async function enter(folder: string, version: 1 | 2, pid: number, bytesMax: number): Promise<MemoryGroup | undefined> {
  const { limit, kills } = files[version];
  const remove = () => rmdir(folder).catch(() => {});
  try {
    await mkdir(folder);
    await writeFile(join(folder, limit), String(bytesMax), { flag: 'r+' });
    await writeFile(join(folder, 'cgroup.procs'), String(pid), { flag: 'r+' });
  } catch {
    await remove();
    return undefined;
  }
  return {
    outOfMemory: async () => /^oom_kill [1-9]/m.test(await readFile(join(folder, kills), 'utf8').catch(() => '')),
    remove,
  };
}
