import { readFile } from 'node:fs/promises';
import { run } from './run.ts';

/** Mount points of this process's namespace at or below a folder, deepest first. */
export async function mountsBelow(dir: string): Promise<string[]> {
  return parseMountPoints(await readFile('/proc/self/mountinfo', 'utf8'))
    .filter((point) => point === dir || point.startsWith(`${dir}/`))
    .sort((left, right) => right.length - left.length);
}

/** Field 5 of each line of mountinfo, with its octal escapes decoded (proc(5)). */
export function parseMountPoints(mountinfo: string): string[] {
  return mountinfo
    .split('\n')
    .map((line) => line.split(' ')[4])
    .filter((point) => point !== undefined)
    .map((point) =>
      point.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
    );
}

/** Unmounts, even if it is busy. */
export async function unmount(point: string): Promise<void> {
  await run('umount', ['--lazy', point]);
}
