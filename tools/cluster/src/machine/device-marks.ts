import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere } from '../host/write-file.ts';
import { inMachine } from './machine-paths.ts';

/** `/var/lib` of a machine, below its own folder or that of its cluster. */
const varLibs = ['var-lib', 'machines/*/var-lib'];

/**
 * The marks of the instance managers of replicated volumes that have run on machines whose folders are below this one. Each has a mark of its own, in the
 * name of the file below every loop device that it makes. Such a device outlives its machine, and then that name is all that the kernel tells of
 * it: the file system was the program's, which has ended.
 */
export async function deviceMarks(dir: string): Promise<string[]> {
  const below = inMachine.storageRuntimeDir.slice('/var/lib/'.length);
  const patterns = varLibs.map((varLib) => `${varLib}/${below}/*/device-mark`);
  const marks: string[] = [];
  for await (const path of glob(patterns, { cwd: dir })) {
    const mark = (await readIfThere(join(dir, path)))?.trim() ?? '';
    if (mark !== '') marks.push(mark);
  }
  return marks;
}

/** Whether a file, as the kernel names it below a loop device, has one of these marks. */
export function hasMark(backingFile: string, marks: readonly string[]): boolean {
  const name = backingFile.replace(/ \(deleted\)$/, '');
  return marks.some((mark) => name.endsWith(`.${mark}`));
}
