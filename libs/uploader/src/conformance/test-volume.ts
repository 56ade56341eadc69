import { execFile } from 'node:child_process';
import { mkdtemp, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const exec = promisify(execFile);

/** Mounts and loop devices need root; cases that use them are skipped without it. */
export const isRoot = process.getuid?.() === 0;

export const MB = 1_000_000;

/** A new empty directory, as a freshly formatted volume is. */
export const emptyVolume = (below: string): Promise<string> => mkdtemp(join(below, 'volume-'));

/** Runs a script in a volume. */
export async function inVolume(volume: string, script: string): Promise<string> {
  const { stdout } = await exec('/bin/sh', ['-euc', script], { cwd: volume, maxBuffer: 64 * MB });
  return stdout;
}

/**
 * A tree with the entries that are most often restored wrongly: odd names, modes, owners, times, links, a hole, empty
 * directories.
 */
export async function makeTree(below: string): Promise<string> {
  const volume = await emptyVolume(below);
  await inVolume(
    volume,
    `for i in 0 1 2 3 4 5 6 7 8 9; do mkdir d$i; head -c 30000 /dev/urandom > d$i/f$i; done
     mkdir empty empty.tar; printf x > 'new
line'; printf y > 'ünïcödé'; printf z > ' leading'; printf '' > none
     ln -s d0/f0 link; ln -s nowhere dangling; ln d1/f1 hard
     truncate -s 20M sparse; printf end >> sparse
     chmod 4711 d2/f2; chmod 700 empty; touch -d '2001-02-03 04:05:06.789' d3/f3; chmod 751 .`,
  );
  if (isRoot) await inVolume(volume, 'chown 1234:5678 d4/f4 d4; chown -h 12:34 link');
  return volume;
}

/** Lists type, mode and owner of every entry, size, time and checksum of every file, and target of every link. */
export function describeTree(volume: string): Promise<string> {
  return inVolume(
    volume,
    `find . -type d -printf '%p %m %U:%G\\n' | sort; find . -type f -printf '%p %m %U:%G %s %T@\\n' | sort
     find . -type l -printf '%p %U:%G %l\\n' | sort; find . -type f -print0 | sort -z | xargs -0r sha256sum`,
  );
}

/** Bytes that a file takes on its file system; less than its size when it has holes. */
export async function allocatedBytes(path: string): Promise<number> {
  return (await stat(path)).blocks * 512;
}

/** Uses a volume that is a small file system of its own. */
export async function withSmallVolume<T>(below: string, size: string, use: (path: string) => Promise<T>): Promise<T> {
  const path = await emptyVolume(below);
  await exec('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'lateen-test', path]);
  try {
    return await use(path);
  } finally {
    await exec('umount', [path]);
  }
}

/** While `use` runs, the volume has a file that not even root can read. */
export async function withUnreadableFile<T>(volume: string, name: string, use: () => Promise<T>): Promise<T> {
  const path = join(volume, name);
  await inVolume(volume, `: > '${name}'`);
  // A read of a process's memory at address 0 is an input/output error, also for root.
  await exec('mount', ['--bind', '/proc/1/mem', path]);
  try {
    return await use();
  } finally {
    await exec('umount', [path]);
  }
}

/** Passes block devices of these sizes to `use`. */
export async function withBlockDevices<T>(
  below: string,
  sizes: readonly number[],
  use: (devices: string[]) => Promise<T>,
): Promise<T> {
  const directory = await emptyVolume(below);
  const devices: string[] = [];
  try {
    for (const [at, size] of sizes.entries()) {
      const file = join(directory, `disk-${at}`);
      await exec('truncate', ['-s', String(size), file]);
      devices.push((await exec('losetup', ['--find', '--show', file])).stdout.trim());
    }
    return await use(devices);
  } finally {
    for (const device of devices) await exec('losetup', ['--detach', device]);
  }
}

export const sameContent = async (a: string, b: string): Promise<boolean> =>
  (await readFile(a)).equals(await readFile(b));
