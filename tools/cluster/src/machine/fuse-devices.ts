import { readFile } from 'node:fs/promises';
import { allProcesses } from '@lateen/child-process';

/**
 * The file systems in user space, as `<major>:<minor>`, that processes of these machines have mounted: pods of replicated volumes have one for each
 * volume that is attached, with a loop device on it. Once the processes are gone nothing tells whose they were.
 * @param uniquePrefix of the machines' names, which the cgroups of all their processes begin with
 */
export async function fuseDevices(uniquePrefix: string): Promise<Set<string>> {
  const found = new Set<string>();
  for (const { pid } of await allProcesses()) {
    const [cgroups, mounts] = await Promise.all(['cgroup', 'mountinfo'].map((file) => textOf(`/proc/${pid}/${file}`)));
    if (cgroups?.includes(`/${uniquePrefix}`) === true)
      for (const device of fuseDevicesIn(mounts ?? '')) found.add(device);
  }
  return found;
}

/** A process may end while it is looked at. */
const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

/** Of one process, from its mountinfo (proc(5)): the device is the third field, the type the first after the dash. */
export function fuseDevicesIn(mountinfo: string): string[] {
  return mountinfo.split('\n').flatMap((line) => {
    const [fields = '', rest = ''] = line.split(' - ');
    const device = fields.split(' ')[2];
    return /^fuse(\.|blk| )/.test(rest) && device !== undefined ? [device] : [];
  });
}
