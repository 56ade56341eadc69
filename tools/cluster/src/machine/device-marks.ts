import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere } from '../host/write-file.ts';
import { inMachine } from './machine-paths.ts';

/** `/var/lib` of a machine, below its folder or that of its cluster. */
const varLibs = ['var-lib', 'machines/*/var-lib'];

/**
 * The marks of the instance managers of replicated volumes that have run on machines whose folders are below this one. Each has a unique
 * mark in the name of the backing file of every loop device that it creates. Such a device may outlive its machine, and then the name is
 * all that the kernel knows of it, because the file system belonged to an ended program.
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

/** Whether the kernel's name of a backing file has one of these marks. */
export function hasMark(backingFile: string, marks: readonly string[]): boolean {
  const name = backingFile.replace(/ \(deleted\)$/, '');
  return marks.some((mark) => name.endsWith(`.${mark}`));
}
