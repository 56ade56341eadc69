import { isAppError } from '@lateen/errors';
import { CommanderError } from 'commander';

/** 0 done, 1 failed, 2 the command line is wrong (as grep and git have it), 130 interrupted (as shells have it). */
export function exitCodeOf(error: unknown, interrupted: boolean): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (interrupted) return 130;
  return isAppError(error, 'BAD_FLAG') || isAppError(error, 'BAD_ARGUMENT') ? 2 : 1;
}
