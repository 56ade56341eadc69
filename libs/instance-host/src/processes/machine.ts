import { join } from 'node:path';
import {
  allProcesses,
  bootId,
  commandLine,
  processEnvironment,
  processFacts,
  startDetached,
} from '@lateen/child-process';
import type { WantedProcess } from './process-plan.ts';
import type { TableRow } from './recognise.ts';

/** Holds the run in the environment of each process that we start, so that the process can be recognised without a record. */
export const runVariable = 'LATEEN_INSTANCE_RUN';

/** Processes of the machine, as a port. */
export interface Machine {
  bootId(): Promise<string>;
  table(): Promise<readonly TableRow[]>;
  /** Resolves with the process's identity when it runs. @throws `PROGRAM_NOT_STARTED` */
  start(process: WantedProcess): Promise<{ pid: number; startTicks: string } | undefined>;
  /** Signals only this process: another process that has its pid by now gets no signal. */
  signal(pid: number, startTicks: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** @param options.env of all processes; @param options.logs folder of their output */
export function realMachine({ env, logs }: { env: Readonly<Record<string, string>>; logs: string }): Machine {
  return {
    bootId,
    table: async () => Promise.all((await allProcesses()).map(rowOf)),
    start: async ({ id, run, argv, env: own }) => {
      const logFile = join(logs, `${id}.log`);
      const pid = await startDetached({ argv, env: { ...env, ...own, [runVariable]: run }, logFile });
      const facts = await processFacts(pid);
      return facts === undefined ? undefined : { pid, startTicks: facts.startTicks };
    },
    signal: async (pid, startTicks, signal) => {
      const facts = await processFacts(pid);
      if (facts === undefined || facts.zombie || facts.startTicks !== startTicks) return;
      try {
        process.kill(pid, signal);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    },
  };
}

async function rowOf({ pid, parentPid, startTicks, zombie }: Awaited<ReturnType<typeof allProcesses>>[number]) {
  const [argv, environment] = await Promise.all([commandLine(pid), processEnvironment(pid)]);
  const run = environment.get(runVariable);
  return { pid, parentPid, startTicks, zombie, argv, ...(run === undefined ? {} : { run }) };
}
