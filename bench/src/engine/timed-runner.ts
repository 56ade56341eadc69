import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type ChildRunner, childRunner } from '@lateen/child-process';
import { systemClock } from '@lateen/kernel';

/** One process that has ended. */
export interface TimedProcess {
  /** Program and, of kopia, what it was to do: `kopia snapshot create`, `find`. */
  what: string;
  cpuMs: number;
  ms: number;
}

/**
 * bash tells user, system and real time of what it runs to the millisecond, each in a file of its own line; the program has
 * standard input, output and error as if bash were not there. Without `--norc` it would read what it reads for rshd, whose
 * standard input is a socket too.
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

/** One word for bash. Objects and snapshots are not told apart. Pure. */
export function whatOf(binary: string, args: readonly string[]): string {
  const program = basename(binary);
  if (program !== 'kopia') return program;
  const [command = '', next = ''] = args;
  return [program, command, ...(/^[a-z]+$/.test(next) ? [next] : [])].join('+');
}

/** Lines of a report, `what user system real` in seconds. Pure. */
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
