import { stat } from 'node:fs/promises';
import { deviceMarks, hasMark } from '../machine/device-marks.ts';
import { run } from './run.ts';

/** An attached loop device. */
export interface LoopDevice {
  /** `/dev/loop3` */
  path: string;
  /** `7:3` */
  device: string;
  /** The device node, as `<file system> <inode>`. */
  node: string;
  /** The path in the mount namespace in which it was attached. */
  backingFile: string;
  /**
   * Device of the file system with the backing file, and the file there, as `<file system> <inode>`. Empty when that file system belonged
   * to a program that has ended.
   */
  backingDevice: string;
  backingNode: string;
}

async function loopDevices(): Promise<LoopDevice[]> {
  const columns = 'NAME,MAJ:MIN,BACK-FILE,BACK-MAJ:MIN,BACK-INO';
  const { stdout } = await run('losetup', ['--json', '--list', '--output', columns]);
  return Promise.all(parseLosetup(stdout).map(async (loop) => ({ ...loop, node: await nodeOf(loop.path) })));
}

type Row = Record<string, string | number | null>;

/** losetup prints nothing when there is no device, and pads numbers with spaces. */
export function parseLosetup(stdout: string): Omit<LoopDevice, 'node'>[] {
  if (stdout.trim() === '') return [];
  const { loopdevices } = JSON.parse(stdout) as { loopdevices: Row[] };
  const text = (row: Row, column: string): string => String(row[column] ?? '').trim();
  return loopdevices.map((row) => ({
    path: text(row, 'name'),
    device: text(row, 'maj:min'),
    backingFile: text(row, 'back-file'),
    backingDevice: text(row, 'back-maj:min'),
    backingNode: `${text(row, 'back-maj:min')} ${text(row, 'back-ino')}`,
  }));
}

async function nodeOf(path: string): Promise<string> {
  const { dev, ino } = await stat(path);
  // Linux packs a small device number as major * 256 + minor.
  return `${Math.floor(dev / 256)}:${dev % 256} ${ino}`;
}

/** All loop devices of this host that belong to the cluster or the machine in a folder, in the order in which they have to be detached. */
export async function loopDevicesOf(dir: string): Promise<LoopDevice[]> {
  return loopsOf(dir, await loopDevices(), await deviceMarks(dir));
}

/**
 * The loop devices that belong to a folder, in the order in which they have to be detached: devices on files in the folder, or on files
 * with one of these marks; devices on files inside those devices; and devices on those devices themselves, as kubelet creates for block
 * volumes. The last two are recognized by numbers, because their paths are of a mount namespace that may be gone.
 */
export function loopsOf(dir: string, all: readonly LoopDevice[], marks: readonly string[] = []): LoopDevice[] {
  const found = all.filter(({ backingFile }) => backingFile.startsWith(`${dir}/`) || hasMark(backingFile, marks));
  for (let at = 0; at < found.length; at++) {
    const holder = found[at];
    const above = all.filter(
      (loop) => !found.includes(loop) && (loop.backingDevice === holder?.device || loop.backingNode === holder?.node),
    );
    found.push(...above);
  }
  return found.toReversed();
}

/** Detaches a device, which may be gone already. A device in use is detached when its last user closes it. */
export async function detachLoop(loop: LoopDevice): Promise<void> {
  await run('losetup', ['--detach', loop.path], { acceptCodes: [1] });
}
