import { describeError, isAppError } from '@lateen/errors';

/** What the end of a program means to whoever started it. */
export const exitCodes = { done: 0, failed: 1, usage: 2 } as const;

/** Runs a program to its exit code. What it throws is told on standard error, under its name. */
export async function exitCodeOf(program: string, main: () => Promise<number>): Promise<number> {
  try {
    return await main();
  } catch (error) {
    process.stderr.write(`${program}: ${describeError(error)}\n`);
    return isAppError(error, 'USAGE') ? exitCodes.usage : exitCodes.failed;
  }
}
