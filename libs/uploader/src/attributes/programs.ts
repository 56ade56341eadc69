import { childRunner } from '@lateen/child-process';
import type { Clock } from '@lateen/kernel';
import type { EngineExit, EngineRun } from '@lateen/repository';

/** The distribution's programs that read and write what kopia does not keep; Node has no calls for most of it. */
export type Program = 'find' | 'sort' | 'getfattr' | 'setfattr' | 'tar';

/** Runs them; the contract is that of `EngineProcess`, the environment is ours. */
export interface Programs {
  run(program: Program, request: Omit<EngineRun, 'env'>): Promise<EngineExit>;
}

export interface SystemProgramsOptions {
  clock: Clock;
  /** From SIGINT to SIGKILL. */
  graceMs: number;
  /** PATH of our own environment. */
  path: string | undefined;
  /** Where sort spills what does not fit into its memory. */
  scratchDirectory: string;
}

/** The programs of the image. Messages in English and names as bytes, whatever the locale outside. */
export function systemPrograms({ path, scratchDirectory, ...child }: SystemProgramsOptions): Programs {
  const env = { PATH: path ?? '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TMPDIR: scratchDirectory };
  return { run: (program, request) => childRunner({ ...child, program }).run({ ...request, env }) };
}
