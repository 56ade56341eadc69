import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';

/** A loop device on a file of a file system that is no longer mounted anywhere, as a killed pod leaves it. @returns its path */
export async function orphanedDevice(volume: string, mark: string): Promise<string> {
  const script = 'mount -t tmpfs lateen /mnt; truncate -s 1M "/mnt/$0"; losetup --find --show "/mnt/$0"';
  return (await execa('unshare', ['--mount', 'sh', '-ec', script, `${volume}.${mark}`])).stdout;
}

/** Records the mark of devices as an instance manager does on a machine of the cluster tool. @param varLib the machine's `/var/lib` */
export async function noteMark(varLib: string, mark: string): Promise<void> {
  const folder = join(varLib, 'lateen-storage', `instance-manager-${mark}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'device-mark'), `${mark}\n`);
}
