import { readFile } from 'node:fs/promises';
import { type Clock, systemClock } from '@lateen/kernel';
import { attempt, command } from './command.ts';

export interface Leftovers {
  /** Mount points, in the order in which they were mounted. */
  mounts: string[];
  /**
   * Loop devices whose backing file is below the directory, except those that the kernel removes as soon as no process has them open
   * (`mount -o loop`, and a detach while another program looks at all loop devices).
   */
  loops: string[];
}

interface LoopRow {
  name: string;
  'back-file': string | null;
  autoclear: boolean;
}

/** Mounts and loop devices below a directory. */
export async function leftoversBelow(directory: string): Promise<Leftovers> {
  const lines = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n');
  const points = lines.map((line) => line.split(' ')[4] ?? '').filter((path) => path.startsWith(`${directory}/`));
  const listed = await command('losetup', '--list', '--json', '--output', 'NAME,BACK-FILE,AUTOCLEAR');
  const rows = listed === '' ? [] : (JSON.parse(listed) as { loopdevices: LoopRow[] }).loopdevices;
  return {
    mounts: points,
    loops: rows
      .filter((row) => !row.autoclear && row['back-file']?.startsWith(`${directory}/`))
      .map(({ name }) => name),
  };
}

/** Unmounting fails while another program looks at a loop device on the file system; it is retried for this long. */
const clearMs = 20_000;
const retryMs = 100;

/** Removes all of that. File systems are thawed first, because unmounting a frozen one hangs. */
export async function clearBelow(directory: string, clock: Clock = systemClock): Promise<void> {
  const signal = clock.deadline(clearMs);
  while (!signal.aborted) {
    await clearOnce(directory);
    const { mounts, loops } = await leftoversBelow(directory);
    if (mounts.length + loops.length === 0) return;
    await clock.sleep(retryMs);
  }
  // Another mount namespace that was created meanwhile has a copy: only our mount is removed.
  for (const point of (await leftoversBelow(directory)).mounts.toReversed()) await attempt('umount', '--lazy', point);
}

async function clearOnce(directory: string): Promise<void> {
  const found = await leftoversBelow(directory);
  for (const point of found.mounts.toReversed()) {
    await attempt('fsfreeze', '--unfreeze', point);
    await attempt('umount', point);
  }
  for (const loop of (await leftoversBelow(directory)).loops) await attempt('losetup', '--detach', loop);
}
