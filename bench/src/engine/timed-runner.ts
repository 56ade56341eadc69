import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type ChildRunner, childRunner } from '@lateen/child-process';
import { systemClock } from '@lateen/kernel';

/** One process that has ended. */
export interface TimedProcess {
  /** The program, and for kopia its command: `kopia snapshot create`, `find`. */
  what: string;
  cpuMs: number;
  ms: number;
}

/**
 * bash measures user, system and real time of a command in milliseconds, and writes them to a file; the program has the standard input,
 * output and error of this process. Without `--norc` bash would read its startup file, as for rshd, whose standard input is a socket too.
 */
const script = 'report=$1 what=$2; shift 2; TIMEFORMAT="$what %3U %3S %3R"; { time "$@" 2>&4; } 4>&2 2>>"$report"';

/** Runs a program as `childRunner` does, with the times of each of its processes written to a file. */
export function timedRunner(report: string, program: string): ChildRunner {
  const bash = childRunner({ program: '/bin/bash', clock: systemClock, graceMs: 5_000 });
  return {
    run: ({ args, ...run }) =>
      bash.run({ ...run, args: ['--norc', '-c', script, 'bash', report, whatOf(program, args), program, ...args] }),
  };
}

/** The name of the command in the report of bash, as one word. Does not contain names of objects and snapshots. A pure function. */
export function whatOf(binary: string, args: readonly string[]): string {
  const program = basename(binary);
  if (program !== 'kopia') return program;
  const [command = '', next = ''] = args;
  return [program, command, ...(/^[a-z]+$/.test(next) ? [next] : [])].join('+');
}

/** Parses a report with lines of the form `what user system real`, in seconds. A pure function. */
export function parseReport(text: string): TimedProcess[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [what = '', user, system, real] = line.split(' ');
      const ms = (seconds: string | undefined) => Math.round(Number(seconds) * 1000);
      return { what: what.replaceAll('+', ' '), cpuMs: ms(user) + ms(system), ms: ms(real) };
    });
}

export const readReport = async (report: string): Promise<TimedProcess[]> =>
  parseReport(await readFile(report, 'utf8').catch(() => ''));
