import { readdir, readFile } from 'node:fs/promises';

/** What /proc says of a running process. */
export interface ProcessFacts {
  pid: number;
  parentPid: number;
  /** Clock ticks since boot at which it started: with the pid and the boot, its identity. */
  startTicks: string;
  /** It has ended and waits for its parent. */
  zombie: boolean;
}

/** Reads one line of /proc/PID/stat. The name in parentheses may itself hold spaces and parentheses. */
export function parseStat(text: string): ProcessFacts | undefined {
  const close = text.lastIndexOf(')');
  const pid = Number(text.slice(0, text.indexOf(' ')));
  // After the name: state is field 3, the parent field 4, the start time field 22 (proc(5)).
  const fields = text.slice(close + 2).split(' ');
  const [state, parent] = fields;
  const startTicks = fields[19];
  if (close < 0 || state === undefined || parent === undefined || startTicks === undefined) return undefined;
  return { pid, parentPid: Number(parent), startTicks, zombie: state === 'Z' || state === 'X' };
}

export async function processFacts(pid: number): Promise<ProcessFacts | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : parseStat(text);
}

/** Every process of the host's view. Processes that end while we look are left out. */
export async function allProcesses(): Promise<ProcessFacts[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const facts = await Promise.all(pids.map(processFacts));
  return facts.filter((one) => one !== undefined);
}

/** The command line, one element per argument. Empty for kernel threads and for a process that is gone. */
export async function commandLine(pid: number): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return text.split('\0').slice(0, -1);
}

/** The environment that it was started with, by name. Empty for a process that is gone. */
export async function processEnvironment(pid: number): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
  const entries = text.split('\0').filter((entry) => entry.includes('='));
  return new Map(entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]));
}

/** Differs after each boot, so that a record of before is not believed. */
export async function bootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
}
