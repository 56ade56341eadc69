import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import { command } from './command.ts';
import { clearBelow, leftoversBelow } from './leftovers.ts';

/** A temporary file system on a loop device, mounted below a temporary directory. Dispose removes all of it. */
export interface Scratch extends AsyncDisposable {
  /** Directory of sockets, targets and logs; not on the scratch file system. */
  directory: string;
  /** Mount point of the scratch file system. */
  stateParent: string;
  /** Remounts it, as a volume is mounted for a pod that only reads it: nothing of it is cached then. */
  remountReadOnly(): Promise<void>;
}

const prefix = 'lateen-csi-rig-';

/**
 * Creates a scratch file system: XFS has reflink, ext4 has not. Removes what an earlier, killed run has left first. Needs root and loop
 * devices.
 */
export async function makeScratch(fileSystem: 'xfs' | 'ext4', bytes: number): Promise<Scratch> {
  if (process.getuid?.() !== 0) throw new AppError('NOT_ROOT', 'a scratch file system needs root and loop devices');
  await clearDead();
  const directory = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
  const stateParent = join(directory, 'disk');
  const dispose = async () => {
    await clearBelow(directory);
    const { mounts, loops } = await leftoversBelow(directory);
    // Never remove files below something that is still mounted.
    if (mounts.length > 0)
      throw new AppError('SCRATCH_BUSY', `still mounted: ${mounts.join(', ')} (${loops.join(', ')})`);
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const image = join(directory, 'disk.img');
    await mkdir(stateParent);
    await command('truncate', '--size', String(bytes), image);
    if (fileSystem === 'xfs') await command('mkfs.xfs', '-q', image);
    else await command('mkfs.ext4', '-q', '-F', '-E', 'nodiscard', image);
    await command('mount', '-o', 'loop', image, stateParent);
    const remountReadOnly = async () => {
      await command('umount', stateParent);
      await command('mount', '-o', 'loop,ro', image, stateParent);
    };
    return { directory, stateParent, remountReadOnly, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Directories of processes that no longer exist. */
async function clearDead(): Promise<void> {
  for (const name of (await readdir(tmpdir())).filter((entry) => entry.startsWith(prefix))) {
    const pid = Number.parseInt(name.slice(prefix.length), 10);
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    const directory = join(tmpdir(), name);
    await clearBelow(directory);
    if ((await leftoversBelow(directory)).mounts.length === 0) await rm(directory, { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
