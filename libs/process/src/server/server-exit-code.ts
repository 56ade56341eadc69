import { CommanderError } from 'commander';
import { exitCodeOf, exitCodes } from '../exit-code.ts';

/** Runs a server to its exit code: 0 stopped as asked or help was given, 1 cannot work, 2 wrong flags. */
export function serverExitCode(program: string, main: () => Promise<void>): Promise<number> {
  return exitCodeOf(program, async () => {
    try {
      await main();
      return exitCodes.done;
    } catch (error) {
      if (error instanceof CommanderError) return error.exitCode;
      throw error;
    }
  });
}
