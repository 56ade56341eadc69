import { describeError, isAppError } from '@lateen/errors';

/** The meaning of a program's exit code. */
export const exitCodes = { done: 0, failed: 1, usage: 2 } as const;

/** Runs a program to its exit code. Its errors are printed to standard error, with its name. */
export async function exitCodeOf(program: string, main: () => Promise<number>): Promise<number> {
  try {
    return await main();
  } catch (error) {
    process.stderr.write(`${program}: ${describeError(error)}\n`);
    return isAppError(error, 'USAGE') ? exitCodes.usage : exitCodes.failed;
  }
}
