import { readFile } from 'node:fs/promises';
import type { DeviceFacts } from '@lateen/changed-files';
import { mountAt, parseMountInfo } from '@lateen/kernel';

/** The text of a file of procfs or sysfs; undefined if it is not there. */
export type ReadText = (path: string) => Promise<string | undefined>;

const sectorBytes = 512;

const fromSystem: ReadText = (path) => readFile(path, 'utf8').catch(() => undefined);

/** What procfs and sysfs say of the file system that is mounted at `volumePath`, and of its device. */
export async function readDeviceFacts(volumePath: string, readText = fromSystem): Promise<DeviceFacts> {
  const mounts = parseMountInfo((await readText('/proc/self/mountinfo')) ?? '');
  const mount = mountAt(mounts, volumePath.replace(/\/+$/, '') || '/');
  if (mount === undefined) return { fileSystem: undefined, options: [], device: undefined };
  const { device: number, fileSystem, superOptions } = mount;
  const directory = `/sys/dev/block/${number}`;
  const [size, event] = await Promise.all([readText(`${directory}/size`), readText(`${directory}/uevent`)]);
  const name = /^DEVNAME=(\S+)$/m.exec(event ?? '')?.[1];
  if (size === undefined || name === undefined) return { fileSystem, options: superOptions, device: undefined };
  const [partition, mapper, array, offset, backing, journal] = await Promise.all([
    readText(`${directory}/partition`),
    readText(`${directory}/dm/uuid`),
    readText(`${directory}/md/level`),
    readText(`${directory}/loop/offset`),
    readText(`${directory}/bcache/state`),
    fileSystem === 'ext4' ? readText(`/proc/fs/ext4/${name}/options`) : undefined,
  ]);
  return {
    fileSystem,
    // mountinfo leaves out what is the default of the file system itself, so it does not tell how data is journaled.
    options: [...superOptions, ...(journal ?? '').split('\n').filter((option) => option !== '')],
    device: {
      sizeBytes: Number(size) * sectorBytes,
      isPartition: partition !== undefined,
      isStacked: mapper !== undefined || array !== undefined || backing !== undefined,
      offsetBytes: Number(offset ?? 0),
    },
  };
}
