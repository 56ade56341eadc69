import { childRunner } from '@lateen/child-process';
import { systemClock } from '@lateen/kernel';
import type { WayContext } from '../way.ts';

/** Runs a program in the measured group and resolves with its output. Secrets are passed in its environment. */
export async function runMeasured(
  { group, signal }: Pick<WayContext, 'group' | 'signal'>,
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const [file, ...rest] = group.command(program, args);
  const runner = childRunner({ program: file, clock: systemClock, graceMs: 2_000 });
  const exit = await runner.run({
    args: rest,
    env: { PATH: process.env.PATH ?? '', LC_ALL: 'C', ...env },
    signal,
  });
  if (exit.exitCode !== 0) throw new Error(`${program} ended with ${exit.exitCode ?? exit.endedBy}: ${exit.stderr}`);
  return exit.stdout;
}
