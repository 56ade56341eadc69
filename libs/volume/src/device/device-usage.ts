import { type Host, readMounts, runQuick } from '../host/host.ts';
import { type Usage, usageIn } from '../host/usage.ts';

/** A block device that another program creates and removes, under a stable name. */
export interface BlockDevice {
  /** `/dev/loop3`, whatever the name was. */
  path: string;
  /** `7:3` */
  device: string;
  sizeBytes: number;
}

interface Row {
  path: string;
  'maj:min': string;
  size: number;
}

/** The device that a name refers to now; undefined when there is no such device. */
export async function findDevice(host: Host, path: string, signal: AbortSignal): Promise<BlockDevice | undefined> {
  const args = ['--json', '--bytes', '--nodeps', '--output', 'PATH,MAJ:MIN,SIZE', path];
  const { stdout, exitCode } = await runQuick(host, signal, 'lsblk', args, [0, ...noSuchDevice]);
  if (exitCode !== 0 || stdout.trim() === '') return undefined;
  const [row] = (JSON.parse(stdout) as { blockdevices: Row[] }).blockdevices;
  return row === undefined ? undefined : { path: row.path, device: row['maj:min'].trim(), sizeBytes: row.size };
}

/** lsblk: none of the devices that were named, or not all of them. */
const noSuchDevice = [1, 32, 64];

/** How a device is in use on this machine. */
export const deviceUsage = async (host: Host, device: BlockDevice): Promise<Usage<BlockDevice>> =>
  usageIn([device], await readMounts(host));
