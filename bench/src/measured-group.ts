import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemRandom } from '@lateen/kernel';

const root = '/sys/fs/cgroup';
const sampleMs = 50;

/** A cgroup (v1) for the processes of one measurement. Needs root. */
export interface MeasuredGroup {
  /** The command line that runs a program in the group. */
  command(program: string, args: readonly string[]): [string, ...string[]];
  /** CPU time of all its processes. */
  cpuMs(): Promise<number>;
  /** Maximum anonymous memory of all its processes, sampled each 50 ms; without page cache. */
  residentBytesMax(): number;
  /** Maximum page cache of the group, as sampled; the system frees it when the limit is reached. */
  cacheBytesMax(): number;
  /** How often the limit was reached: the system then freed page cache, or killed a process. */
  limitMet(): Promise<number>;
  /** Number of processes that the kernel killed for lack of memory. */
  killed(): Promise<number>;
  /** Kills all its processes, engines included, with SIGKILL. */
  kill(): Promise<void>;
  /** Removes the group; all its processes must have ended. */
  remove(): Promise<void>;
}

/** @param memoryBytes limit of all its processes, page cache included, like that of a pod */
export async function measuredGroup(clock: Clock, memoryBytes?: number): Promise<MeasuredGroup> {
  const name = `lateen-bench-${systemRandom.suffix(8)}`;
  const [memory, cpu] = [join(root, 'memory', name), join(root, 'cpuacct', name)];
  await mkdir(memory);
  await mkdir(cpu);
  if (memoryBytes !== undefined) await writeFile(join(memory, 'memory.limit_in_bytes'), `${memoryBytes}`);
  const stop = new AbortController();
  let [resident, cache] = [0, 0];
  const sampling = (async () => {
    while (!stop.signal.aborted) {
      const stat = await readFile(join(memory, 'memory.stat'), 'utf8');
      resident = Math.max(resident, Number(/^total_rss (\d+)$/m.exec(stat)?.[1] ?? 0));
      cache = Math.max(cache, Number(/^total_cache (\d+)$/m.exec(stat)?.[1] ?? 0));
      await clock.sleep(sampleMs, stop.signal).catch(() => {});
    }
  })();
  const script = `echo $$ > ${memory}/cgroup.procs; echo $$ > ${cpu}/cgroup.procs; exec "$@"`;
  return {
    command: (program, args) => ['/bin/sh', '-c', script, 'sh', program, ...args],
    cpuMs: async () => Number(await readFile(join(cpu, 'cpuacct.usage'), 'utf8')) / 1e6,
    residentBytesMax: () => resident,
    cacheBytesMax: () => cache,
    limitMet: async () => Number(await readFile(join(memory, 'memory.failcnt'), 'utf8')),
    killed: async () => {
      const control = await readFile(join(memory, 'memory.oom_control'), 'utf8');
      return Number(/^oom_kill (\d+)$/m.exec(control)?.[1] ?? 0);
    },
    kill: async () => {
      const pids = (await readFile(join(memory, 'cgroup.procs'), 'utf8')).split('\n').filter((pid) => pid !== '');
      for (const pid of pids) process.kill(Number(pid), 'SIGKILL');
    },
    remove: async () => {
      stop.abort();
      await sampling;
      await rmdir(memory);
      await rmdir(cpu);
    },
  };
}

/** CPU time of a running process. Fields 14 and 15 of proc(5), /proc/[pid]/stat. */
export async function processCpuMs(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
