import { run } from './run.ts';

/** An attached loop device. */
export interface LoopDevice {
  /** `/dev/loop3` */
  path: string;
  /** `7:3` */
  device: string;
  backingFile: string;
  /** Device of the file system that holds the backing file. */
  backingDevice: string;
}

export async function loopDevices(): Promise<LoopDevice[]> {
  const { stdout } = await run('losetup', ['--json', '--list', '--output', 'NAME,MAJ:MIN,BACK-FILE,BACK-MAJ:MIN']);
  return parseLosetup(stdout);
}

/** losetup prints nothing at all when there is no device. */
export function parseLosetup(stdout: string): LoopDevice[] {
  if (stdout.trim() === '') return [];
  const { loopdevices } = JSON.parse(stdout) as { loopdevices: Record<string, string | null>[] };
  return loopdevices.map((row) => ({
    path: row.name ?? '',
    device: row['maj:min'] ?? '',
    backingFile: row['back-file'] ?? '',
    backingDevice: row['back-maj:min'] ?? '',
  }));
}

/**
 * The loop devices that belong to a folder, those to detach first in front: devices on files in the folder, and devices
 * on files inside those devices, however deep. The second kind is told by device number, because its path is one of
 * a mount namespace that may be gone.
 */
export function loopsOf(dir: string, all: readonly LoopDevice[]): LoopDevice[] {
  const found = all.filter(({ backingFile }) => backingFile.startsWith(`${dir}/`));
  for (let at = 0; at < found.length; at++) {
    const holder = found[at];
    const inside = all.filter((loop) => loop.backingDevice === holder?.device && !found.includes(loop));
    found.push(...inside);
  }
  return found.toReversed();
}

/** Detaches a device; one that is gone already is fine. A device in use goes when its last user does. */
export async function detachLoop(loop: LoopDevice): Promise<void> {
  await run('losetup', ['--detach', loop.path], { acceptCodes: [1] });
}
