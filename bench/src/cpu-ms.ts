import { readFile } from 'node:fs/promises';

/**
 * User and system time of this process and the children that it has waited for, in steps of 10 ms: fields 14 to 17 of
 * proc(5), /proc/[pid]/stat.
 */
export async function cpuMs(): Promise<number> {
  const text = await readFile('/proc/self/stat', 'utf8');
  // The name, field 2, may contain spaces; it ends with the last parenthesis.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
}
