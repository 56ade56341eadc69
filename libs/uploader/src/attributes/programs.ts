import { childRunner } from '@lateen/child-process';
import type { Clock } from '@lateen/kernel';
import type { EngineExit, EngineRun } from '@lateen/repository';

/** The distribution's programs that read and write what kopia does not keep; Node has no calls for most of that. */
export type Program = 'find' | 'sort' | 'getfattr' | 'setfattr' | 'tar' | 'xfs_io' | 'lsattr' | 'stat';

/** Runs the programs, with the contract of `EngineProcess` and an environment that we set. */
export interface Programs {
  run(program: Program, request: Omit<EngineRun, 'env'>): Promise<EngineExit>;
}

export interface SystemProgramsOptions {
  clock: Clock;
  /** From SIGINT to SIGKILL. */
  graceMs: number;
  /** PATH of our own environment. */
  path: string | undefined;
  /** Where sort writes what does not fit into its memory. */
  scratchDirectory: string;
}

/** The programs of the image. They print messages in English and names as bytes, whatever the locale outside is. */
export function systemPrograms({ path, scratchDirectory, ...child }: SystemProgramsOptions): Programs {
  const env = { PATH: path ?? '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TMPDIR: scratchDirectory };
  return { run: (program, request) => childRunner({ ...child, program }).run({ ...request, env }) };
}
