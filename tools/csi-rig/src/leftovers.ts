import { readFile } from 'node:fs/promises';
import { attempt, command } from './command.ts';

export interface Leftovers {
  /** Mount points, the first mounted first. */
  mounts: string[];
  /** Loop devices whose backing file is below the directory. */
  loops: string[];
}

interface LoopRow {
  name: string;
  'back-file': string | null;
}

/** What is mounted or attached below a directory. */
export async function leftoversBelow(directory: string): Promise<Leftovers> {
  const lines = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n');
  const points = lines.map((line) => line.split(' ')[4] ?? '').filter((path) => path.startsWith(`${directory}/`));
  const listed = await command('losetup', '--list', '--json', '--output', 'NAME,BACK-FILE');
  const rows = listed === '' ? [] : (JSON.parse(listed) as { loopdevices: LoopRow[] }).loopdevices;
  return {
    mounts: points,
    loops: rows.filter((row) => row['back-file']?.startsWith(`${directory}/`)).map(({ name }) => name),
  };
}

/** Takes all of that away: thawed first, since unmounting a frozen file system waits for ever. */
export async function clearBelow(directory: string): Promise<void> {
  const found = await leftoversBelow(directory);
  for (const point of found.mounts.toReversed()) {
    await attempt('fsfreeze', '--unfreeze', point);
    await attempt('umount', point);
  }
  for (const loop of (await leftoversBelow(directory)).loops) await attempt('losetup', '--detach', loop);
}
