import { readdir, readFile } from 'node:fs/promises';

export interface PodProcess {
  pid: number;
  /** Arguments, separated by spaces. */
  command: string;
}

/**
 * The processes of a pod, seen from the host: its UID is part of their control group. The machines of the cluster are namespaces of this
 * host, so the host sees their processes.
 */
export async function podProcesses(podUid: string): Promise<PodProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map((pid) => processOf(pid, podUid)));
  return found.filter((each) => each !== undefined);
}

async function processOf(pid: string, podUid: string): Promise<PodProcess | undefined> {
  try {
    const cgroup = await readFile(`/proc/${pid}/cgroup`, 'utf8');
    if (!cgroup.includes(`pod${podUid}`)) return undefined;
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim();
    return command === '' ? undefined : { pid: Number(pid), command };
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

/** Sends SIGKILL; false when the process had ended. */
export function killProcess(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}
